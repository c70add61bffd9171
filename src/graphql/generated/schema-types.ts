import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { App as AppModel, AppKey as AppKeyModel } from '../../model/app.ts';
import type { Connection, Edge, PageInfo as PageInfoModel } from '../connection.ts';
import type { AuditEvent as AuditEventModel } from '../../model/audit-event.ts';
import type { Project as ProjectModel } from '../../model/project.ts';
import type { Token as TokenModel } from '../../model/token.ts';
import type { Wallet as WalletModel } from '../../model/wallet.ts';
import type { GraphqlContext } from '../context.ts';
export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /**
   * The address of an Ethereum account: `0x` and 40 hexadecimal digits, with the mixed-case
   * checksum of EIP-55.
   */
  Address: { input: string; output: string; }
  /** A time in UTC with milliseconds, such as `2026-01-31T12:00:00.000Z`. Source: RFC 3339. */
  DateTime: { input: Date; output: string; }
  /**
   * A resource name: collection, slash and ULID, such as
   * `projects/01ARZ3NDEKTSV4RRFFQ69G5FAV`. The ULID is accepted in either case and
   * returned in upper case.
   */
  ResourceName: { input: string; output: string; }
  /** An absolute URL. */
  URL: { input: string; output: string; }
};

/** The number of unused addresses on a network. */
export type AddressesLeft = {
  readonly __typename?: 'AddressesLeft';
  /** The number of addresses. */
  readonly count: Scalars['Int']['output'];
  /** The network. */
  readonly network: Network;
};

/** An app: a credential of one project. */
export type App = Node & {
  readonly __typename?: 'App';
  /** Whether the app can sign in. All project tokens of an inactive app are rejected. */
  readonly active: Scalars['Boolean']['output'];
  /** The time of the creation. */
  readonly createTime: Scalars['DateTime']['output'];
  /**
   * Changes with each update of the app and each rotation of its key, not with a sign-in or the
   * end of a grace period. For `ifMatch`. Opaque: etags can only be compared.
   */
  readonly etag: Scalars['String']['output'];
  /** The resource name, `apps/<ULID>`. */
  readonly id: Scalars['ID']['output'];
  /**
   * The valid private keys, without their secrets: the current key, and after a rotation the previous key,
   * until the end of its grace period.
   */
  readonly keys: ReadonlyArray<AppKey>;
  /**
   * The last sign-in, over GraphQL, REST or OAuth. It is stored at most once an hour, so the last
   * sign-in can be up to an hour later. Null before the first.
   */
  readonly lastSignInTime: Maybe<Scalars['DateTime']['output']>;
  /** The resource name, `apps/<ULID>`. The same as `id`. */
  readonly name: Scalars['ResourceName']['output'];
  /**
   * The private key for signing in. Only the responses of `createApp` and `rotateAppKey` contain
   * it; in all others it is an empty string.
   */
  readonly privateKey: Scalars['String']['output'];
  /** The project that the project tokens of the app give access to. */
  readonly project: Project;
  /** The title, from 1 to 200 characters. */
  readonly title: Scalars['String']['output'];
};

/** A connection of apps. Source: Relay Cursor Connections. */
export type AppConnection = {
  readonly __typename?: 'AppConnection';
  /** The apps of the page, each with its cursor. */
  readonly edges: ReadonlyArray<AppEdge>;
  /** The apps of the page, without cursors. */
  readonly nodes: ReadonlyArray<App>;
  /** The page info. */
  readonly pageInfo: PageInfo;
  /** The number of all apps of the project, or of the matches of a filter; 1,000 if there are more. */
  readonly totalCount: Scalars['Int']['output'];
};

/** An edge of a connection of apps. */
export type AppEdge = {
  readonly __typename?: 'AppEdge';
  /** The cursor of the edge, an opaque token. */
  readonly cursor: Scalars['String']['output'];
  /** The app. */
  readonly node: App;
};

/** A private key of an app, without its secret. */
export type AppKey = {
  readonly __typename?: 'AppKey';
  /** The time at which the key was created, with the app or by a rotation. */
  readonly createTime: Scalars['DateTime']['output'];
  /** The end of the grace period. Null for the current key. */
  readonly expireTime: Maybe<Scalars['DateTime']['output']>;
  /**
   * The public id of the key, a ULID: the last 26 characters before the second underscore of its
   * text `paw_key_…_…`.
   */
  readonly id: Scalars['ID']['output'];
};

/** The input of `archiveWallet`. */
export type ArchiveWalletInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: InputMaybe<Scalars['String']['input']>;
  /**
   * An `etag` of the wallet, of 1 to 100 characters. If the wallet has a different one now, nothing
   * is changed, and the error is `ETAG_MISMATCH`.
   */
  readonly ifMatch?: InputMaybe<Scalars['String']['input']>;
  /** The name of the wallet to archive. */
  readonly name: Scalars['ResourceName']['input'];
};

/** The payload of `archiveWallet`. */
export type ArchiveWalletPayload = {
  readonly __typename?: 'ArchiveWalletPayload';
  /** The `clientMutationId` of the input. */
  readonly clientMutationId: Maybe<Scalars['String']['output']>;
  /** The archived wallet. */
  readonly wallet: Wallet;
};

/** The input of `createApp`. */
export type CreateAppInput = {
  /** Whether the app can sign in. */
  readonly active: Scalars['Boolean']['input'];
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: InputMaybe<Scalars['String']['input']>;
  /**
   * The project of the app: any project of the account. The default is the project of the
   * account token, or the first project of the account if the token has none.
   */
  readonly project?: InputMaybe<Scalars['ResourceName']['input']>;
  /** The title, from 1 to 200 characters. */
  readonly title: Scalars['String']['input'];
};

/** The payload of `createApp`. */
export type CreateAppPayload = {
  readonly __typename?: 'CreateAppPayload';
  /** The new app, with its private key. */
  readonly app: App;
  /** The `clientMutationId` of the input. */
  readonly clientMutationId: Maybe<Scalars['String']['output']>;
  /** The private key, next to the app rather than in it, so a client's normalized cache does not keep it. */
  readonly privateKey: Scalars['String']['output'];
};

/** The input of `createProject`. */
export type CreateProjectInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: InputMaybe<Scalars['String']['input']>;
  /** A short description, up to 2,000 characters. The default is an empty one. */
  readonly description?: InputMaybe<Scalars['String']['input']>;
  /**
   * The reference, from 1 to 64 of the characters `A-Z`, `a-z`, `0-9`, `.`, `_`, `:` and `-`. If a project has
   * it, this project is returned.
   */
  readonly reference?: InputMaybe<Scalars['String']['input']>;
  /** The title, from 1 to 200 characters. */
  readonly title: Scalars['String']['input'];
};

/** The payload of `createProject`. */
export type CreateProjectPayload = {
  readonly __typename?: 'CreateProjectPayload';
  /** The `clientMutationId` of the input. */
  readonly clientMutationId: Maybe<Scalars['String']['output']>;
  /** False if the project existed, and nothing was changed. */
  readonly isNew: Scalars['Boolean']['output'];
  /** The new project, or the one that has the reference. */
  readonly project: Project;
};

/** The input of `createToken`. */
export type CreateTokenInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: InputMaybe<Scalars['String']['input']>;
  /**
   * The expiry, not later than the expiry of the token of the request. The default is in 90 days, or that
   * expiry if it is earlier.
   */
  readonly expireTime?: InputMaybe<Scalars['DateTime']['input']>;
  /**
   * The only project that the token has access to. The default is the whole account, with new apps in the
   * project of the token of the request.
   */
  readonly project?: InputMaybe<Scalars['ResourceName']['input']>;
  /** Whether the token is read-only. The default is false. */
  readonly readOnly?: InputMaybe<Scalars['Boolean']['input']>;
  /** The title, from 1 to 200 characters, to recognize the token by in lists. */
  readonly title: Scalars['String']['input'];
};

/** The payload of `createToken`. */
export type CreateTokenPayload = {
  readonly __typename?: 'CreateTokenPayload';
  /** The text of the token, for the header `Authorization: Bearer <token>`. Only this response contains it. */
  readonly accessToken: Scalars['String']['output'];
  /** The `clientMutationId` of the input. */
  readonly clientMutationId: Maybe<Scalars['String']['output']>;
  /** The new token. */
  readonly token: Token;
};

/** The input of `createWallet`. */
export type CreateWalletInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: InputMaybe<Scalars['String']['input']>;
  /** A short description, up to 2,000 characters. The default is an empty string. */
  readonly description?: InputMaybe<Scalars['String']['input']>;
  /** The blockchain network. */
  readonly network: Network;
  /** The password: exactly 32 characters. Without it, the wallet has none until an update sets one. */
  readonly password?: InputMaybe<Scalars['String']['input']>;
  /** The project of the wallet. The default is the project of the token. The token must have access to it. */
  readonly project?: InputMaybe<Scalars['ResourceName']['input']>;
  /**
   * The reference, from 1 to 64 of the characters `A-Z`, `a-z`, `0-9`, `.`, `_`, `:` and `-`. If a wallet has
   * it, this wallet is returned.
   */
  readonly reference?: InputMaybe<Scalars['String']['input']>;
  /** The title, from 1 to 200 characters. */
  readonly title: Scalars['String']['input'];
};

/** The payload of `createWallet`. */
export type CreateWalletPayload = {
  readonly __typename?: 'CreateWalletPayload';
  /** The `clientMutationId` of the input. */
  readonly clientMutationId: Maybe<Scalars['String']['output']>;
  /** False if the wallet existed, and nothing was changed. */
  readonly isNew: Scalars['Boolean']['output'];
  /** The new wallet, or the one that has the reference. */
  readonly wallet: Wallet;
};

/** The input of `deleteApp`. */
export type DeleteAppInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: InputMaybe<Scalars['String']['input']>;
  /** The name of the app to delete. */
  readonly name: Scalars['ResourceName']['input'];
};

/** The payload of `deleteApp`. */
export type DeleteAppPayload = {
  readonly __typename?: 'DeleteAppPayload';
  /** The `clientMutationId` of the input. */
  readonly clientMutationId: Maybe<Scalars['String']['output']>;
  /** The `id` of the deleted app, for a client to remove it from its cache. */
  readonly deletedAppId: Scalars['ID']['output'];
};

/** The input of `deleteProject`. */
export type DeleteProjectInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: InputMaybe<Scalars['String']['input']>;
  /**
   * An `etag` of the project, of 1 to 100 characters. If the project has a different one now, nothing
   * is deleted, and the error is `ETAG_MISMATCH`.
   */
  readonly ifMatch?: InputMaybe<Scalars['String']['input']>;
  /** The name of the project to delete. */
  readonly name: Scalars['ResourceName']['input'];
};

/** The payload of `deleteProject`. */
export type DeleteProjectPayload = {
  readonly __typename?: 'DeleteProjectPayload';
  /** The `clientMutationId` of the input. */
  readonly clientMutationId: Maybe<Scalars['String']['output']>;
  /** The name of the deleted project. */
  readonly deletedProjectId: Scalars['ID']['output'];
};

/**
 * An audit event: an act that was done once, or several times within a minute. It contains no value
 * of a field, and no secret.
 */
export type Event = {
  readonly __typename?: 'Event';
  /**
   * The act: `account.create`, `account.suspend`, `account.resume`, `account.delete`, `project.create`,
   * `project.update`, `project.delete`, `wallet.create`, `wallet.update`, `wallet.archive`,
   * `wallet.unarchive`, `wallet.delete`, `wallet.refuse`, `address.add`, `address.delete`, `app.create`,
   * `app.update`, `app.activate`, `app.deactivate`, `app.rotate_key`, `app.delete`, `token.create`,
   * `token.revoke`, `sign_in.succeed`, `sign_in.fail`, `sign_in.undo` or `sign_out`. More can be added. It is
   * a string, because a name of an enum can't contain a dot.
   */
  readonly action: Scalars['String']['output'];
  /**
   * The IPv4 address of the client, or its IPv6 network of 64 bits. Null for the operator, and for
   * the failed sign-ins beyond the first 100 of a minute.
   */
  readonly address: Maybe<Scalars['String']['output']>;
  /**
   * The app of this token, `apps/<ULID>`, even if it no longer exists; for a sign-in over OAuth, the app that
   * signed in. Null otherwise.
   */
  readonly app: Maybe<Scalars['ResourceName']['output']>;
  /**
   * The actor, in words: `app` and its current title, or the name of the app if it no longer exists; `token`
   * and the title that the account token had at the time of the act, or its name if it had none; `the operator`; or
   * `an unknown client` for a failure without a token, or beyond the first 100 of a minute.
   */
  readonly by: Scalars['String']['output'];
  /**
   * The number of revoked tokens, of addresses, or of equal acts: those of a client within the same
   * minute, with the same action, resource, fields, credential and address, by one process. The count
   * grows until the end of the minute. Equal acts that run at the same time, or in one request with an
   * `Idempotency-Key`, can have several events.
   */
  readonly count: Scalars['Int']['output'];
  /**
   * The token that was used, `tokens/<ULID>`. Null for the operator, and for a sign-in over OAuth, which needs
   * no token, successful or not.
   */
  readonly credential: Maybe<Scalars['ResourceName']['output']>;
  /**
   * The names of the fields that an update has set. `address.add` and `address.delete` have the network of the addresses
   * instead. Empty for other acts.
   */
  readonly fields: ReadonlyArray<Scalars['String']['output']>;
  /** The resource name, `events/<ULID>`. */
  readonly id: Scalars['ID']['output'];
  /** The time of the last act that the event counts. The same as `time` if it counts one. */
  readonly lastTime: Scalars['DateTime']['output'];
  /** The resource name, `events/<ULID>`. The same as `id`. */
  readonly name: Scalars['ResourceName']['output'];
  /**
   * The `X-Request-Id` of the response, of the first request if the event counts several acts. Null
   * for the operator.
   */
  readonly requestId: Maybe<Scalars['String']['output']>;
  /** The resource of the act. A failed sign-in of an app that does not exist has the account. */
  readonly resource: Scalars['ResourceName']['output'];
  /** The title that the resource has now. Null for an account, and for a resource that no longer exists. */
  readonly resourceTitle: Maybe<Scalars['String']['output']>;
  /** The time of the act, or of the first of those that the event counts. */
  readonly time: Scalars['DateTime']['output'];
  /** The token that was issued or revoked, `tokens/<ULID>`, or, for equal sign-ins, the first one. Null for other acts. */
  readonly token: Maybe<Scalars['ResourceName']['output']>;
};

/** A connection of audit events. Source: Relay Cursor Connections. */
export type EventConnection = {
  readonly __typename?: 'EventConnection';
  /** The events of the page, each with its cursor. */
  readonly edges: ReadonlyArray<EventEdge>;
  /** The events of the page, without cursors. */
  readonly nodes: ReadonlyArray<Event>;
  /** The page info. */
  readonly pageInfo: PageInfo;
  /** The number of the events that the filter finds, or 1,000 if there are more. */
  readonly totalCount: Scalars['Int']['output'];
};

/** An edge of a connection of audit events. */
export type EventEdge = {
  readonly __typename?: 'EventEdge';
  /** The cursor of the edge, an opaque token. */
  readonly cursor: Scalars['String']['output'];
  /** The event. */
  readonly node: Event;
};

/**
 * The mutations. Every field requires a bearer token. A failed field is null and has an
 * error. The other fields of the same request are still executed.
 */
export type Mutation = {
  readonly __typename?: 'Mutation';
  /**
   * Archives a wallet that a token can update. It is no longer in the lists of wallets, unless they are read
   * with `archived`, and can't be updated. It keeps its address and its reference, and `node`,
   * `wallets(address)` and `wallets(reference)` find it. `createWallet` with its reference returns it. A wallet
   * that is already archived is returned unchanged.
   */
  readonly archiveWallet: Maybe<ArchiveWalletPayload>;
  /**
   * Creates an app. Requires an account token. Only this response contains the private key
   * of the app. An account with 100,000 apps can't have more: the error is `TOO_MANY_APPS`.
   */
  readonly createApp: Maybe<CreateAppPayload>;
  /**
   * Creates a project. Requires an account token that is not restricted to one project. An account with
   * 100,000 projects can't have more: the error is `TOO_MANY_PROJECTS`.
   *
   * If a project of the account has the `reference` of the input, it is returned with `isNew: false`, and
   * nothing is changed. Title and description of the input are not compared, and not applied. Concurrent
   * requests with one reference create one project.
   */
  readonly createProject: Maybe<CreateProjectPayload>;
  /**
   * Creates an account token. Only this response contains it. It has at most the permissions of the token of
   * the request, can't create tokens, and expires or is revoked with it. Requires an account token that the
   * operator created, with access to the whole account. A token that has created 1,000 valid tokens can't
   * create more: the error is `TOO_MANY_TOKENS`.
   */
  readonly createToken: Maybe<CreateTokenPayload>;
  /**
   * Creates a wallet. The service assigns the address that the operator has supplied first for the account and
   * the network: no two wallets get the same one. An account token can create a wallet in any project that it
   * has access to, a project token in its project. If no address is left, the error is `NO_ADDRESS_LEFT`, and
   * nothing is created; see `Viewer.addressesLeft`.
   *
   * If a wallet of the account has the `reference` of the input, it is returned with `isNew: false`, and
   * nothing is changed. Title, description and password of the input are not compared, and not applied. If its
   * network, or the project that the input names, differs, the error is `ALREADY_EXISTS` for this field; if the
   * token has no access to the wallet, for `reference`. Concurrent requests with one reference create one wallet.
   */
  readonly createWallet: Maybe<CreateWalletPayload>;
  /**
   * Deletes an app. Its keys and its project tokens are revoked immediately, on every instance. Requires an
   * account token; it can delete any app of its account.
   */
  readonly deleteApp: Maybe<DeleteAppPayload>;
  /**
   * Deletes a project without apps, without wallets, archived ones included, and without valid tokens.
   * Requires an account token that is not restricted to one project. The default project of the account can't
   * be deleted. Otherwise the error is `PROJECT_IN_USE`, and nothing is deleted.
   */
  readonly deleteProject: Maybe<DeleteProjectPayload>;
  /**
   * Revokes a token of the account or of one of its apps, immediately and on every instance. Requires an
   * account token that is not restricted to one project; it can revoke itself, like `signOut`. The tokens
   * created with it are revoked too.
   */
  readonly revokeToken: Maybe<RevokeTokenPayload>;
  /**
   * Rotates the private key of an app. Only this response contains the new key. The old key, and the access
   * tokens that were issued for it, expire after the grace period. An older key that is still valid is revoked
   * immediately, with its tokens: an app has at most two valid keys. Requires an account token; it can rotate
   * the key of any app of its account.
   */
  readonly rotateAppKey: Maybe<RotateAppKeyPayload>;
  /**
   * Exchanges the private key of an app for a project token. An account token can sign in
   * any app of its account, a project token any app of its project.
   */
  readonly signIn: Maybe<SignInPayload>;
  /**
   * Revokes the token of the request, immediately and on every instance. It works for both levels of
   * token. Later fields of the same request are rejected like every later request, with the
   * reason `TOKEN_INVALID`. Other tokens of the app or of the account stay valid.
   */
  readonly signOut: Maybe<SignOutPayload>;
  /** Unarchives a wallet. A wallet that is not archived is returned unchanged. Like `archiveWallet`. */
  readonly unarchiveWallet: Maybe<UnarchiveWalletPayload>;
  /**
   * Updates the fields of an app that are in the input. Other fields are unchanged. Requires an account token;
   * it can update any app of its account. Deactivating an app immediately revokes all its project tokens;
   * after a reactivation, the app must sign in again.
   */
  readonly updateApp: Maybe<UpdateAppPayload>;
  /**
   * Updates the fields of a project that are in the input. Other fields are unchanged. Requires an
   * account token; it can update any project of its account that it has access to.
   */
  readonly updateProject: Maybe<UpdateProjectPayload>;
  /**
   * Updates the fields of a wallet that are in the input. Other fields are unchanged. An
   * account token can update any wallet of its account, a project token any wallet of its
   * project. An archived wallet can't be updated: the error is `WALLET_ARCHIVED`. Without fields, it is returned.
   */
  readonly updateWallet: Maybe<UpdateWalletPayload>;
};


/**
 * The mutations. Every field requires a bearer token. A failed field is null and has an
 * error. The other fields of the same request are still executed.
 */
export type MutationArchiveWalletArgs = {
  input: ArchiveWalletInput;
};


/**
 * The mutations. Every field requires a bearer token. A failed field is null and has an
 * error. The other fields of the same request are still executed.
 */
export type MutationCreateAppArgs = {
  input: CreateAppInput;
};


/**
 * The mutations. Every field requires a bearer token. A failed field is null and has an
 * error. The other fields of the same request are still executed.
 */
export type MutationCreateProjectArgs = {
  input: CreateProjectInput;
};


/**
 * The mutations. Every field requires a bearer token. A failed field is null and has an
 * error. The other fields of the same request are still executed.
 */
export type MutationCreateTokenArgs = {
  input: CreateTokenInput;
};


/**
 * The mutations. Every field requires a bearer token. A failed field is null and has an
 * error. The other fields of the same request are still executed.
 */
export type MutationCreateWalletArgs = {
  input: CreateWalletInput;
};


/**
 * The mutations. Every field requires a bearer token. A failed field is null and has an
 * error. The other fields of the same request are still executed.
 */
export type MutationDeleteAppArgs = {
  input: DeleteAppInput;
};


/**
 * The mutations. Every field requires a bearer token. A failed field is null and has an
 * error. The other fields of the same request are still executed.
 */
export type MutationDeleteProjectArgs = {
  input: DeleteProjectInput;
};


/**
 * The mutations. Every field requires a bearer token. A failed field is null and has an
 * error. The other fields of the same request are still executed.
 */
export type MutationRevokeTokenArgs = {
  input: RevokeTokenInput;
};


/**
 * The mutations. Every field requires a bearer token. A failed field is null and has an
 * error. The other fields of the same request are still executed.
 */
export type MutationRotateAppKeyArgs = {
  input: RotateAppKeyInput;
};


/**
 * The mutations. Every field requires a bearer token. A failed field is null and has an
 * error. The other fields of the same request are still executed.
 */
export type MutationSignInArgs = {
  input: SignInInput;
};


/**
 * The mutations. Every field requires a bearer token. A failed field is null and has an
 * error. The other fields of the same request are still executed.
 */
export type MutationSignOutArgs = {
  input?: InputMaybe<SignOutInput>;
};


/**
 * The mutations. Every field requires a bearer token. A failed field is null and has an
 * error. The other fields of the same request are still executed.
 */
export type MutationUnarchiveWalletArgs = {
  input: UnarchiveWalletInput;
};


/**
 * The mutations. Every field requires a bearer token. A failed field is null and has an
 * error. The other fields of the same request are still executed.
 */
export type MutationUpdateAppArgs = {
  input: UpdateAppInput;
};


/**
 * The mutations. Every field requires a bearer token. A failed field is null and has an
 * error. The other fields of the same request are still executed.
 */
export type MutationUpdateProjectArgs = {
  input: UpdateProjectInput;
};


/**
 * The mutations. Every field requires a bearer token. A failed field is null and has an
 * error. The other fields of the same request are still executed.
 */
export type MutationUpdateWalletArgs = {
  input: UpdateWalletInput;
};

/** A blockchain network. */
export type Network =
  /** Ethereum mainnet. */
  | 'NETWORK_ETHEREUM'
  /** Ethereum's Rinkeby testnet, which was shut down in 2023. Use `NETWORK_ETHEREUM_SEPOLIA`. */
  | 'NETWORK_ETHEREUM_RINKEBY'
  /**
   * Another spelling of `NETWORK_ETHEREUM_RINKEBY`. Accepted as input, never returned: a client
   * need not handle it in a wallet.
   */
  | 'NETWORK_ETHEREUM_RINKERBY'
  /** Ethereum's Sepolia testnet, for testing only. */
  | 'NETWORK_ETHEREUM_SEPOLIA'
  /** Polygon mainnet. */
  | 'NETWORK_POLYGON'
  /** Polygon's Amoy testnet, for testing only. */
  | 'NETWORK_POLYGON_AMOY'
  /** Polygon's Mumbai testnet, which was shut down in 2024. Use `NETWORK_POLYGON_AMOY`. */
  | 'NETWORK_POLYGON_MUMBAI';

/** An object that can be refetched by its id. Source: Relay Object Identification. */
export type Node = {
  /** The resource name of the object. It is unique across all types and never changes. */
  readonly id: Scalars['ID']['output'];
};

/** The page info of a connection. Source: Relay Cursor Connections. */
export type PageInfo = {
  readonly __typename?: 'PageInfo';
  /** The cursor of the last edge. Null if the page is empty. */
  readonly endCursor: Maybe<Scalars['String']['output']>;
  /** Whether the list has items after the last edge of the page. */
  readonly hasNextPage: Scalars['Boolean']['output'];
  /** Whether the list has items before the first edge of the page. */
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  /** The cursor of the first edge. Null if the page is empty. */
  readonly startCursor: Maybe<Scalars['String']['output']>;
};

/** A project, which contains apps and wallets. */
export type Project = Node & {
  readonly __typename?: 'Project';
  /**
   * The apps of the project, sorted by name, which is the order of creation. They are paged like
   * `Query.projects`.
   */
  readonly apps: AppConnection;
  /** The time of the creation. */
  readonly createTime: Scalars['DateTime']['output'];
  /** A short description, up to 2,000 characters. May be empty. */
  readonly description: Scalars['String']['output'];
  /** Changes with the title, the description and the reference. For `ifMatch`. Opaque: etags can only be compared. */
  readonly etag: Scalars['String']['output'];
  /** The resource name, `projects/<ULID>`. */
  readonly id: Scalars['ID']['output'];
  /** The IPFS content identifier of the cover image: the CIDv1 of its bytes (raw, SHA-256). */
  readonly imageCoverCid: Scalars['String']['output'];
  /** The URL of the cover image, an SVG generated from the name of the project. */
  readonly imageCoverUrl: Scalars['URL']['output'];
  /** The resource name, `projects/<ULID>`. The same as `id`. */
  readonly name: Scalars['ResourceName']['output'];
  /**
   * The name that the client gives the project, from 1 to 64 of the characters `A-Z`, `a-z`, `0-9`, `.`, `_`,
   * `:` and `-`. No other project of the account has it. Null without one.
   */
  readonly reference: Maybe<Scalars['String']['output']>;
  /** The title, from 1 to 200 characters. */
  readonly title: Scalars['String']['output'];
  /**
   * The wallets of the project, sorted by name, which is the order of creation. They are paged like
   * `Query.projects`.
   */
  readonly wallets: WalletConnection;
};


/** A project, which contains apps and wallets. */
export type ProjectAppsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  title?: InputMaybe<Scalars['String']['input']>;
};


/** A project, which contains apps and wallets. */
export type ProjectWalletsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  archived?: InputMaybe<Scalars['Boolean']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  title?: InputMaybe<Scalars['String']['input']>;
};

/** A connection of projects. Source: Relay Cursor Connections. */
export type ProjectConnection = {
  readonly __typename?: 'ProjectConnection';
  /** The projects of the page, each with its cursor. */
  readonly edges: ReadonlyArray<ProjectEdge>;
  /** The projects of the page, without cursors. */
  readonly nodes: ReadonlyArray<Project>;
  /** The page info. */
  readonly pageInfo: PageInfo;
  /**
   * The number of all projects that the token has access to, at constant cost; with a filter, the number of
   * matches, or 1,000 if there are more.
   */
  readonly totalCount: Scalars['Int']['output'];
};

/** An edge of a connection of projects. */
export type ProjectEdge = {
  readonly __typename?: 'ProjectEdge';
  /** The cursor of the edge, an opaque token. It is also a valid `pageToken` of the REST API. */
  readonly cursor: Scalars['String']['output'];
  /** The project. */
  readonly node: Project;
};

/** The queries. Every field except introspection requires a bearer token. */
export type Query = {
  readonly __typename?: 'Query';
  /**
   * The apps whose titles start with a text and that the token has access to, sorted by name. They are paged
   * like `Query.projects`.
   */
  readonly apps: AppConnection;
  /**
   * The audit events of the account, newest first: who did what, and when.
   * Requires an account token for all projects of the account; it can be read-only. Use
   * `first` and `after` for paging to older events.
   *
   * To follow new events, use `settled: true` with `last` and `before`, where `before` is the last
   * `startCursor` that was not null. Each event is then returned once, with its final count, and none
   * is missed. Without `settled`, events can be added and counted behind a cursor.
   */
  readonly events: EventConnection;
  /**
   * A project, app or wallet. Null if it does not exist or the token has no access to it; both cases have the
   * same response.
   */
  readonly node: Maybe<Node>;
  /**
   * At most 100 projects, apps and wallets, in the order of their ids. An object that does not exist, or that
   * the token has no access to, is null. A malformed id is null, too, with an error at its index; if more than
   * 20 are malformed, the whole list fails.
   */
  readonly nodes: ReadonlyArray<Maybe<Node>>;
  /**
   * The projects that the token has access to, sorted by name, which is the order of creation: all projects of
   * the account, or the token's only project. Use `first` and `after` for forward paging, or `last` and
   * `before` for backward paging. Mixing the two pairs is an error.
   */
  readonly projects: ProjectConnection;
  /**
   * The valid tokens of the account and of its apps, in the order of their issue. They are paged like
   * `Query.projects`. Requires an account token that is not restricted to one project; it may be
   * read-only.
   */
  readonly tokens: TokenConnection;
  /**
   * The token of the request: its level, its resources and its expiry. A client can check with
   * it whether a token is valid.
   */
  readonly viewer: Viewer;
  /**
   * The wallets with an address, a reference, or a title that starts with a text, as far as the token has
   * access to them, sorted by name. One of `address`, `title` and `reference` is required. Several wallets can
   * have one address. They are paged like `Query.projects`. A cursor of a different filter is an error. A
   * search by address or reference also finds archived wallets.
   */
  readonly wallets: WalletConnection;
};


/** The queries. Every field except introspection requires a bearer token. */
export type QueryAppsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  title: Scalars['String']['input'];
};


/** The queries. Every field except introspection requires a bearer token. */
export type QueryEventsArgs = {
  action?: InputMaybe<Scalars['String']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  resource?: InputMaybe<Scalars['ResourceName']['input']>;
  settled?: InputMaybe<Scalars['Boolean']['input']>;
  since?: InputMaybe<Scalars['DateTime']['input']>;
  until?: InputMaybe<Scalars['DateTime']['input']>;
};


/** The queries. Every field except introspection requires a bearer token. */
export type QueryNodeArgs = {
  id: Scalars['ID']['input'];
};


/** The queries. Every field except introspection requires a bearer token. */
export type QueryNodesArgs = {
  ids: ReadonlyArray<Scalars['ID']['input']>;
};


/** The queries. Every field except introspection requires a bearer token. */
export type QueryProjectsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  reference?: InputMaybe<Scalars['String']['input']>;
  title?: InputMaybe<Scalars['String']['input']>;
};


/** The queries. Every field except introspection requires a bearer token. */
export type QueryTokensArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** The queries. Every field except introspection requires a bearer token. */
export type QueryWalletsArgs = {
  address?: InputMaybe<Scalars['Address']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
  archived?: InputMaybe<Scalars['Boolean']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  reference?: InputMaybe<Scalars['String']['input']>;
  title?: InputMaybe<Scalars['String']['input']>;
};

/** The input of `revokeToken`. */
export type RevokeTokenInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: InputMaybe<Scalars['String']['input']>;
  /** The token, `tokens/<ULID>` or its ULID alone. */
  readonly id: Scalars['ID']['input'];
};

/** The payload of `revokeToken`. */
export type RevokeTokenPayload = {
  readonly __typename?: 'RevokeTokenPayload';
  /** The `clientMutationId` of the input. */
  readonly clientMutationId: Maybe<Scalars['String']['output']>;
  /** The `id` of the revoked token, for a client to remove it from its cache. */
  readonly revokedTokenId: Scalars['ID']['output'];
};

/** The input of `rotateAppKey`. */
export type RotateAppKeyInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: InputMaybe<Scalars['String']['input']>;
  /**
   * How long the old key and its project tokens stay valid, in seconds, from 0 to 604,800 (7 days).
   * The default is 0: they are revoked immediately.
   */
  readonly gracePeriod?: InputMaybe<Scalars['Int']['input']>;
  /** The name of the app. */
  readonly name: Scalars['ResourceName']['input'];
};

/** The payload of `rotateAppKey`. */
export type RotateAppKeyPayload = {
  readonly __typename?: 'RotateAppKeyPayload';
  /** The app, with its new private key. */
  readonly app: App;
  /** The `clientMutationId` of the input. */
  readonly clientMutationId: Maybe<Scalars['String']['output']>;
  /** The new private key. See `CreateAppPayload`. */
  readonly privateKey: Scalars['String']['output'];
};

/** The input of `signIn`. */
export type SignInInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: InputMaybe<Scalars['String']['input']>;
  /** The name of the app. */
  readonly name: Scalars['ResourceName']['input'];
  /** The private key that `createApp` or `rotateAppKey` returned. */
  readonly privateKey: Scalars['String']['input'];
};

/** The payload of `signIn`. */
export type SignInPayload = {
  readonly __typename?: 'SignInPayload';
  /** A project token: a bearer token for the project of the app. */
  readonly accessToken: Scalars['String']['output'];
  /** The app that signed in. */
  readonly app: App;
  /** The `clientMutationId` of the input. */
  readonly clientMutationId: Maybe<Scalars['String']['output']>;
  /**
   * The expiry of the project token, which is not after the end of the private key. The token is
   * rejected earlier if it is revoked or the app becomes inactive.
   */
  readonly expireTime: Scalars['DateTime']['output'];
};

/** The input of `signOut`. */
export type SignOutInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: InputMaybe<Scalars['String']['input']>;
};

/** The payload of `signOut`. */
export type SignOutPayload = {
  readonly __typename?: 'SignOutPayload';
  /** The `clientMutationId` of the input. */
  readonly clientMutationId: Maybe<Scalars['String']['output']>;
};

/** A valid token of the account or of one of its apps, without its secret. It is not a `Node`. */
export type Token = {
  readonly __typename?: 'Token';
  /** The app that signed in to get a project token. Null for an account token. */
  readonly app: Maybe<App>;
  /** The time at which the token was issued. */
  readonly createTime: Scalars['DateTime']['output'];
  /** Whether this is the token of the request. */
  readonly current: Scalars['Boolean']['output'];
  /** The expiry. */
  readonly expireTime: Scalars['DateTime']['output'];
  /** The resource name, `tokens/<ULID>`. The ULID is the public id of the token, and not secret. */
  readonly id: Scalars['ID']['output'];
  /**
   * The time of the last use, or up to an hour before it: it is stored at most once an hour. Null if
   * the token was never used.
   */
  readonly lastUseTime: Maybe<Scalars['DateTime']['output']>;
  /** The level of the token. */
  readonly level: TokenLevel;
  /** The account token that created this one, `tokens/<ULID>`. This token is revoked with it. Null if there is none. */
  readonly maker: Maybe<Scalars['ResourceName']['output']>;
  /** The resource name, `tokens/<ULID>`. The same as `id`. */
  readonly name: Scalars['ResourceName']['output'];
  /** Whether the token has access to its project only. True for every project token. */
  readonly onlyProject: Scalars['Boolean']['output'];
  /** The only project that the token has access to, or the default project of new apps. */
  readonly project: Maybe<Project>;
  /** Whether the token is read-only. */
  readonly readOnly: Scalars['Boolean']['output'];
  /** The title, up to 200 characters. May be empty. */
  readonly title: Scalars['String']['output'];
};

/** A connection of tokens. Source: Relay Cursor Connections. */
export type TokenConnection = {
  readonly __typename?: 'TokenConnection';
  /** The tokens of the page, each with its cursor. */
  readonly edges: ReadonlyArray<TokenEdge>;
  /** The tokens of the page, without cursors. */
  readonly nodes: ReadonlyArray<Token>;
  /** The page info. */
  readonly pageInfo: PageInfo;
  /** The number of all valid tokens, or 1,000 if there are more. */
  readonly totalCount: Scalars['Int']['output'];
};

/** An edge of a connection of tokens. */
export type TokenEdge = {
  readonly __typename?: 'TokenEdge';
  /** The cursor of the edge, an opaque token. */
  readonly cursor: Scalars['String']['output'];
  /** The token. */
  readonly node: Token;
};

/** The level of a token. */
export type TokenLevel =
  /**
   * An account token, which the operator or `createToken` issues. It gives access to all resources
   * of the account, or of one project.
   */
  | 'ACCOUNT'
  /** A project token, which `signIn` issues. It gives access to the resources of one project. */
  | 'PROJECT';

/** The input of `unarchiveWallet`. */
export type UnarchiveWalletInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: InputMaybe<Scalars['String']['input']>;
  /** An `etag` of the wallet. Like the `ifMatch` of `archiveWallet`. */
  readonly ifMatch?: InputMaybe<Scalars['String']['input']>;
  /** The name of the wallet to unarchive. */
  readonly name: Scalars['ResourceName']['input'];
};

/** The payload of `unarchiveWallet`. */
export type UnarchiveWalletPayload = {
  readonly __typename?: 'UnarchiveWalletPayload';
  /** The `clientMutationId` of the input. */
  readonly clientMutationId: Maybe<Scalars['String']['output']>;
  /** The unarchived wallet. */
  readonly wallet: Wallet;
};

/** The input of `updateApp`. An omitted field is unchanged. Null is an error. */
export type UpdateAppInput = {
  /** Whether the app can sign in. */
  readonly active?: InputMaybe<Scalars['Boolean']['input']>;
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: InputMaybe<Scalars['String']['input']>;
  /**
   * An `etag` of the app, of 1 to 100 characters. If the app has a different one now, nothing is changed, and
   * the error is `ETAG_MISMATCH`.
   */
  readonly ifMatch?: InputMaybe<Scalars['String']['input']>;
  /** The name of the app to update. */
  readonly name: Scalars['ResourceName']['input'];
  /** The new title, from 1 to 200 characters. */
  readonly title?: InputMaybe<Scalars['String']['input']>;
};

/** The payload of `updateApp`. */
export type UpdateAppPayload = {
  readonly __typename?: 'UpdateAppPayload';
  /** The updated app. */
  readonly app: App;
  /** The `clientMutationId` of the input. */
  readonly clientMutationId: Maybe<Scalars['String']['output']>;
};

/** The input of `updateProject`. An omitted field is unchanged. Null is an error, but removes a reference. */
export type UpdateProjectInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: InputMaybe<Scalars['String']['input']>;
  /** The new description, up to 2,000 characters. An empty string clears it. */
  readonly description?: InputMaybe<Scalars['String']['input']>;
  /**
   * An `etag` of the project, of 1 to 100 characters. If the project has a different one now, nothing
   * is changed, and the error is `ETAG_MISMATCH`.
   */
  readonly ifMatch?: InputMaybe<Scalars['String']['input']>;
  /** The name of the project to update. */
  readonly name: Scalars['ResourceName']['input'];
  /** The new reference. If another project of the account has it, the error is `ALREADY_EXISTS`. Null removes it. */
  readonly reference?: InputMaybe<Scalars['String']['input']>;
  /** The new title, from 1 to 200 characters. */
  readonly title?: InputMaybe<Scalars['String']['input']>;
};

/** The payload of `updateProject`. */
export type UpdateProjectPayload = {
  readonly __typename?: 'UpdateProjectPayload';
  /** The `clientMutationId` of the input. */
  readonly clientMutationId: Maybe<Scalars['String']['output']>;
  /** The updated project. */
  readonly project: Project;
};

/** The input of `updateWallet`. An omitted field is unchanged. Null is an error, but removes a reference. */
export type UpdateWalletInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: InputMaybe<Scalars['String']['input']>;
  /** The new description, up to 2,000 characters. An empty string clears it. */
  readonly description?: InputMaybe<Scalars['String']['input']>;
  /**
   * An `etag` of the wallet, of 1 to 100 characters. If the wallet has a different one now, nothing
   * is changed, and the error is `ETAG_MISMATCH`.
   */
  readonly ifMatch?: InputMaybe<Scalars['String']['input']>;
  /** The name of the wallet to update. */
  readonly name: Scalars['ResourceName']['input'];
  /** The new network. */
  readonly network?: InputMaybe<Network>;
  /** The new password: exactly 32 characters. */
  readonly password?: InputMaybe<Scalars['String']['input']>;
  /** The new project. The token must have access to it. */
  readonly project?: InputMaybe<Scalars['ResourceName']['input']>;
  /** The new reference. If another wallet of the account has it, the error is `ALREADY_EXISTS`. Null removes it. */
  readonly reference?: InputMaybe<Scalars['String']['input']>;
  /** The new title, from 1 to 200 characters. */
  readonly title?: InputMaybe<Scalars['String']['input']>;
};

/** The payload of `updateWallet`. */
export type UpdateWalletPayload = {
  readonly __typename?: 'UpdateWalletPayload';
  /** The `clientMutationId` of the input. */
  readonly clientMutationId: Maybe<Scalars['String']['output']>;
  /** The updated wallet. */
  readonly wallet: Wallet;
};

/** The token of a request. It is not a `Node`: only its owner can read it. */
export type Viewer = {
  readonly __typename?: 'Viewer';
  /** The resource name of the account that the token belongs to, `accounts/<ULID>`. */
  readonly account: Scalars['ResourceName']['output'];
  /**
   * The number of unused addresses of the account, for each network, for programs that supply addresses.
   * Requires an account token that is not restricted to one project.
   */
  readonly addressesLeft: Maybe<ReadonlyArray<AddressesLeft>>;
  /** The app that signed in to get a project token. Null for an account token. */
  readonly app: Maybe<App>;
  /** The expiry of the token. The token is rejected earlier if it is revoked or its app becomes inactive. */
  readonly expireTime: Scalars['DateTime']['output'];
  /** The level of the token, which determines its permissions. */
  readonly level: TokenLevel;
  /** The account token that created this one, `tokens/<ULID>`. This token is revoked with it. Null if there is none. */
  readonly maker: Maybe<Scalars['ResourceName']['output']>;
  /** The resource name of the token, `tokens/<ULID>`. The ULID is the public id of the token, and not secret. */
  readonly name: Scalars['ResourceName']['output'];
  /** Whether the token has access to this project only. True for every project token. */
  readonly onlyProject: Scalars['Boolean']['output'];
  /** The only project that the token has access to, or the default project of new apps. */
  readonly project: Project;
  /** Whether the token is read-only. All mutations are then refused with the reason `READ_ONLY_TOKEN`. */
  readonly readOnly: Scalars['Boolean']['output'];
  /** The title, up to 200 characters. May be empty. */
  readonly title: Scalars['String']['output'];
};

/** A wallet on a blockchain network. */
export type Wallet = Node & {
  readonly __typename?: 'Wallet';
  /** The address on the network. Assigned by the service, read-only. */
  readonly address: Scalars['Address']['output'];
  /** The time since which the wallet has been archived. Null if it is not. */
  readonly archiveTime: Maybe<Scalars['DateTime']['output']>;
  /** The time of the creation. */
  readonly createTime: Scalars['DateTime']['output'];
  /** A short description, up to 2,000 characters. May be empty. */
  readonly description: Scalars['String']['output'];
  /**
   * Changes with each update, including updates of the password, and with `archiveWallet` and
   * `unarchiveWallet`. For `ifMatch`. Opaque: etags can only be compared.
   */
  readonly etag: Scalars['String']['output'];
  /** The resource name, `wallets/<ULID>`. */
  readonly id: Scalars['ID']['output'];
  /** The resource name, `wallets/<ULID>`. The same as `id`. */
  readonly name: Scalars['ResourceName']['output'];
  /** The blockchain network of the wallet. */
  readonly network: Network;
  /** Always an empty string: passwords are never returned. */
  readonly password: Scalars['String']['output'];
  /** The project that contains the wallet. */
  readonly project: Project;
  /**
   * The name that the client gives the wallet, from 1 to 64 of the characters `A-Z`, `a-z`, `0-9`, `.`, `_`,
   * `:` and `-`. No other wallet of the account has it. Null without one.
   */
  readonly reference: Maybe<Scalars['String']['output']>;
  /** The title, from 1 to 200 characters. */
  readonly title: Scalars['String']['output'];
  /** The time of the last update of a field, or of the last `archiveWallet` or `unarchiveWallet`. */
  readonly updateTime: Scalars['DateTime']['output'];
};

/** A connection of wallets. Source: Relay Cursor Connections. */
export type WalletConnection = {
  readonly __typename?: 'WalletConnection';
  /** The wallets of the page, each with its cursor. */
  readonly edges: ReadonlyArray<WalletEdge>;
  /** The wallets of the page, without cursors. */
  readonly nodes: ReadonlyArray<Wallet>;
  /** The page info. */
  readonly pageInfo: PageInfo;
  /**
   * The number of all wallets of the project, without archived ones, or of the matches of a filter; 1,000 if
   * there are more.
   */
  readonly totalCount: Scalars['Int']['output'];
};

/** An edge of a connection of wallets. */
export type WalletEdge = {
  readonly __typename?: 'WalletEdge';
  /** The cursor of the edge, an opaque token. */
  readonly cursor: Scalars['String']['output'];
  /** The wallet. */
  readonly node: Wallet;
};



export type ResolverTypeWrapper<T> = Promise<T> | T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;




/** Mapping of interface types */
export type ResolversInterfaceTypes<_RefType extends Record<string, unknown>> = {
  Node:
    | ( AppModel )
    | ( ProjectModel )
    | ( WalletModel )
  ;
};

/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  Address: ResolverTypeWrapper<Scalars['Address']['output']>;
  AddressesLeft: ResolverTypeWrapper<AddressesLeft>;
  App: ResolverTypeWrapper<AppModel>;
  AppConnection: ResolverTypeWrapper<Connection<AppModel>>;
  AppEdge: ResolverTypeWrapper<Edge<AppModel>>;
  AppKey: ResolverTypeWrapper<AppKeyModel>;
  ArchiveWalletInput: ArchiveWalletInput;
  ArchiveWalletPayload: ResolverTypeWrapper<Omit<ArchiveWalletPayload, 'wallet'> & { wallet: ResolversTypes['Wallet'] }>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  CreateAppInput: CreateAppInput;
  CreateAppPayload: ResolverTypeWrapper<Omit<CreateAppPayload, 'app'> & { app: ResolversTypes['App'] }>;
  CreateProjectInput: CreateProjectInput;
  CreateProjectPayload: ResolverTypeWrapper<Omit<CreateProjectPayload, 'project'> & { project: ResolversTypes['Project'] }>;
  CreateTokenInput: CreateTokenInput;
  CreateTokenPayload: ResolverTypeWrapper<Omit<CreateTokenPayload, 'token'> & { token: ResolversTypes['Token'] }>;
  CreateWalletInput: CreateWalletInput;
  CreateWalletPayload: ResolverTypeWrapper<Omit<CreateWalletPayload, 'wallet'> & { wallet: ResolversTypes['Wallet'] }>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  DeleteAppInput: DeleteAppInput;
  DeleteAppPayload: ResolverTypeWrapper<DeleteAppPayload>;
  DeleteProjectInput: DeleteProjectInput;
  DeleteProjectPayload: ResolverTypeWrapper<DeleteProjectPayload>;
  Event: ResolverTypeWrapper<AuditEventModel>;
  EventConnection: ResolverTypeWrapper<Connection<AuditEventModel>>;
  EventEdge: ResolverTypeWrapper<Edge<AuditEventModel>>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Network: Network;
  Node: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['Node']>;
  PageInfo: ResolverTypeWrapper<PageInfoModel>;
  Project: ResolverTypeWrapper<ProjectModel>;
  ProjectConnection: ResolverTypeWrapper<Connection<ProjectModel>>;
  ProjectEdge: ResolverTypeWrapper<Edge<ProjectModel>>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  ResourceName: ResolverTypeWrapper<Scalars['ResourceName']['output']>;
  RevokeTokenInput: RevokeTokenInput;
  RevokeTokenPayload: ResolverTypeWrapper<RevokeTokenPayload>;
  RotateAppKeyInput: RotateAppKeyInput;
  RotateAppKeyPayload: ResolverTypeWrapper<Omit<RotateAppKeyPayload, 'app'> & { app: ResolversTypes['App'] }>;
  SignInInput: SignInInput;
  SignInPayload: ResolverTypeWrapper<Omit<SignInPayload, 'app'> & { app: ResolversTypes['App'] }>;
  SignOutInput: SignOutInput;
  SignOutPayload: ResolverTypeWrapper<SignOutPayload>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Token: ResolverTypeWrapper<TokenModel>;
  TokenConnection: ResolverTypeWrapper<Connection<TokenModel>>;
  TokenEdge: ResolverTypeWrapper<Edge<TokenModel>>;
  TokenLevel: TokenLevel;
  URL: ResolverTypeWrapper<Scalars['URL']['output']>;
  UnarchiveWalletInput: UnarchiveWalletInput;
  UnarchiveWalletPayload: ResolverTypeWrapper<Omit<UnarchiveWalletPayload, 'wallet'> & { wallet: ResolversTypes['Wallet'] }>;
  UpdateAppInput: UpdateAppInput;
  UpdateAppPayload: ResolverTypeWrapper<Omit<UpdateAppPayload, 'app'> & { app: ResolversTypes['App'] }>;
  UpdateProjectInput: UpdateProjectInput;
  UpdateProjectPayload: ResolverTypeWrapper<Omit<UpdateProjectPayload, 'project'> & { project: ResolversTypes['Project'] }>;
  UpdateWalletInput: UpdateWalletInput;
  UpdateWalletPayload: ResolverTypeWrapper<Omit<UpdateWalletPayload, 'wallet'> & { wallet: ResolversTypes['Wallet'] }>;
  Viewer: ResolverTypeWrapper<TokenModel>;
  Wallet: ResolverTypeWrapper<WalletModel>;
  WalletConnection: ResolverTypeWrapper<Connection<WalletModel>>;
  WalletEdge: ResolverTypeWrapper<Edge<WalletModel>>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Address: Scalars['Address']['output'];
  AddressesLeft: AddressesLeft;
  App: AppModel;
  AppConnection: Connection<AppModel>;
  AppEdge: Edge<AppModel>;
  AppKey: AppKeyModel;
  ArchiveWalletInput: ArchiveWalletInput;
  ArchiveWalletPayload: Omit<ArchiveWalletPayload, 'wallet'> & { wallet: ResolversParentTypes['Wallet'] };
  Boolean: Scalars['Boolean']['output'];
  CreateAppInput: CreateAppInput;
  CreateAppPayload: Omit<CreateAppPayload, 'app'> & { app: ResolversParentTypes['App'] };
  CreateProjectInput: CreateProjectInput;
  CreateProjectPayload: Omit<CreateProjectPayload, 'project'> & { project: ResolversParentTypes['Project'] };
  CreateTokenInput: CreateTokenInput;
  CreateTokenPayload: Omit<CreateTokenPayload, 'token'> & { token: ResolversParentTypes['Token'] };
  CreateWalletInput: CreateWalletInput;
  CreateWalletPayload: Omit<CreateWalletPayload, 'wallet'> & { wallet: ResolversParentTypes['Wallet'] };
  DateTime: Scalars['DateTime']['output'];
  DeleteAppInput: DeleteAppInput;
  DeleteAppPayload: DeleteAppPayload;
  DeleteProjectInput: DeleteProjectInput;
  DeleteProjectPayload: DeleteProjectPayload;
  Event: AuditEventModel;
  EventConnection: Connection<AuditEventModel>;
  EventEdge: Edge<AuditEventModel>;
  ID: Scalars['ID']['output'];
  Int: Scalars['Int']['output'];
  Mutation: Record<PropertyKey, never>;
  Node: ResolversInterfaceTypes<ResolversParentTypes>['Node'];
  PageInfo: PageInfoModel;
  Project: ProjectModel;
  ProjectConnection: Connection<ProjectModel>;
  ProjectEdge: Edge<ProjectModel>;
  Query: Record<PropertyKey, never>;
  ResourceName: Scalars['ResourceName']['output'];
  RevokeTokenInput: RevokeTokenInput;
  RevokeTokenPayload: RevokeTokenPayload;
  RotateAppKeyInput: RotateAppKeyInput;
  RotateAppKeyPayload: Omit<RotateAppKeyPayload, 'app'> & { app: ResolversParentTypes['App'] };
  SignInInput: SignInInput;
  SignInPayload: Omit<SignInPayload, 'app'> & { app: ResolversParentTypes['App'] };
  SignOutInput: SignOutInput;
  SignOutPayload: SignOutPayload;
  String: Scalars['String']['output'];
  Token: TokenModel;
  TokenConnection: Connection<TokenModel>;
  TokenEdge: Edge<TokenModel>;
  URL: Scalars['URL']['output'];
  UnarchiveWalletInput: UnarchiveWalletInput;
  UnarchiveWalletPayload: Omit<UnarchiveWalletPayload, 'wallet'> & { wallet: ResolversParentTypes['Wallet'] };
  UpdateAppInput: UpdateAppInput;
  UpdateAppPayload: Omit<UpdateAppPayload, 'app'> & { app: ResolversParentTypes['App'] };
  UpdateProjectInput: UpdateProjectInput;
  UpdateProjectPayload: Omit<UpdateProjectPayload, 'project'> & { project: ResolversParentTypes['Project'] };
  UpdateWalletInput: UpdateWalletInput;
  UpdateWalletPayload: Omit<UpdateWalletPayload, 'wallet'> & { wallet: ResolversParentTypes['Wallet'] };
  Viewer: TokenModel;
  Wallet: WalletModel;
  WalletConnection: Connection<WalletModel>;
  WalletEdge: Edge<WalletModel>;
};

export interface AddressScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Address'], any> {
  name: 'Address';
}

export type AddressesLeftResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['AddressesLeft'] = ResolversParentTypes['AddressesLeft']> = {
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  network?: Resolver<ResolversTypes['Network'], ParentType, ContextType>;
};

export type AppResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['App'] = ResolversParentTypes['App']> = {
  active?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  createTime?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  etag?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  keys?: Resolver<ReadonlyArray<ResolversTypes['AppKey']>, ParentType, ContextType>;
  lastSignInTime?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['ResourceName'], ParentType, ContextType>;
  privateKey?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  project?: Resolver<ResolversTypes['Project'], ParentType, ContextType>;
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type AppConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['AppConnection'] = ResolversParentTypes['AppConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['AppEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['App']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type AppEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['AppEdge'] = ResolversParentTypes['AppEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['App'], ParentType, ContextType>;
};

export type AppKeyResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['AppKey'] = ResolversParentTypes['AppKey']> = {
  createTime?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  expireTime?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export type ArchiveWalletPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ArchiveWalletPayload'] = ResolversParentTypes['ArchiveWalletPayload']> = {
  clientMutationId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  wallet?: Resolver<ResolversTypes['Wallet'], ParentType, ContextType>;
};

export type CreateAppPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['CreateAppPayload'] = ResolversParentTypes['CreateAppPayload']> = {
  app?: Resolver<ResolversTypes['App'], ParentType, ContextType>;
  clientMutationId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  privateKey?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type CreateProjectPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['CreateProjectPayload'] = ResolversParentTypes['CreateProjectPayload']> = {
  clientMutationId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  isNew?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  project?: Resolver<ResolversTypes['Project'], ParentType, ContextType>;
};

export type CreateTokenPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['CreateTokenPayload'] = ResolversParentTypes['CreateTokenPayload']> = {
  accessToken?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  clientMutationId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  token?: Resolver<ResolversTypes['Token'], ParentType, ContextType>;
};

export type CreateWalletPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['CreateWalletPayload'] = ResolversParentTypes['CreateWalletPayload']> = {
  clientMutationId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  isNew?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  wallet?: Resolver<ResolversTypes['Wallet'], ParentType, ContextType>;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type DeleteAppPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['DeleteAppPayload'] = ResolversParentTypes['DeleteAppPayload']> = {
  clientMutationId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  deletedAppId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export type DeleteProjectPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['DeleteProjectPayload'] = ResolversParentTypes['DeleteProjectPayload']> = {
  clientMutationId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  deletedProjectId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export type EventResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Event'] = ResolversParentTypes['Event']> = {
  action?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  address?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  app?: Resolver<Maybe<ResolversTypes['ResourceName']>, ParentType, ContextType>;
  by?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  credential?: Resolver<Maybe<ResolversTypes['ResourceName']>, ParentType, ContextType>;
  fields?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  lastTime?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['ResourceName'], ParentType, ContextType>;
  requestId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  resource?: Resolver<ResolversTypes['ResourceName'], ParentType, ContextType>;
  resourceTitle?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  time?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  token?: Resolver<Maybe<ResolversTypes['ResourceName']>, ParentType, ContextType>;
};

export type EventConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['EventConnection'] = ResolversParentTypes['EventConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['EventEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Event']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type EventEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['EventEdge'] = ResolversParentTypes['EventEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Event'], ParentType, ContextType>;
};

export type MutationResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  archiveWallet: Resolver<Maybe<ResolversTypes['ArchiveWalletPayload']>, ParentType, ContextType, RequireFields<MutationArchiveWalletArgs, 'input'>>;
  createApp: Resolver<Maybe<ResolversTypes['CreateAppPayload']>, ParentType, ContextType, RequireFields<MutationCreateAppArgs, 'input'>>;
  createProject: Resolver<Maybe<ResolversTypes['CreateProjectPayload']>, ParentType, ContextType, RequireFields<MutationCreateProjectArgs, 'input'>>;
  createToken: Resolver<Maybe<ResolversTypes['CreateTokenPayload']>, ParentType, ContextType, RequireFields<MutationCreateTokenArgs, 'input'>>;
  createWallet: Resolver<Maybe<ResolversTypes['CreateWalletPayload']>, ParentType, ContextType, RequireFields<MutationCreateWalletArgs, 'input'>>;
  deleteApp: Resolver<Maybe<ResolversTypes['DeleteAppPayload']>, ParentType, ContextType, RequireFields<MutationDeleteAppArgs, 'input'>>;
  deleteProject: Resolver<Maybe<ResolversTypes['DeleteProjectPayload']>, ParentType, ContextType, RequireFields<MutationDeleteProjectArgs, 'input'>>;
  revokeToken: Resolver<Maybe<ResolversTypes['RevokeTokenPayload']>, ParentType, ContextType, RequireFields<MutationRevokeTokenArgs, 'input'>>;
  rotateAppKey: Resolver<Maybe<ResolversTypes['RotateAppKeyPayload']>, ParentType, ContextType, RequireFields<MutationRotateAppKeyArgs, 'input'>>;
  signIn: Resolver<Maybe<ResolversTypes['SignInPayload']>, ParentType, ContextType, RequireFields<MutationSignInArgs, 'input'>>;
  signOut: Resolver<Maybe<ResolversTypes['SignOutPayload']>, ParentType, ContextType, Partial<MutationSignOutArgs>>;
  unarchiveWallet: Resolver<Maybe<ResolversTypes['UnarchiveWalletPayload']>, ParentType, ContextType, RequireFields<MutationUnarchiveWalletArgs, 'input'>>;
  updateApp: Resolver<Maybe<ResolversTypes['UpdateAppPayload']>, ParentType, ContextType, RequireFields<MutationUpdateAppArgs, 'input'>>;
  updateProject: Resolver<Maybe<ResolversTypes['UpdateProjectPayload']>, ParentType, ContextType, RequireFields<MutationUpdateProjectArgs, 'input'>>;
  updateWallet: Resolver<Maybe<ResolversTypes['UpdateWalletPayload']>, ParentType, ContextType, RequireFields<MutationUpdateWalletArgs, 'input'>>;
};

export type NodeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Node'] = ResolversParentTypes['Node']> = {
  __resolveType: TypeResolveFn<'App' | 'Project' | 'Wallet', ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ProjectResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Project'] = ResolversParentTypes['Project']> = {
  apps?: Resolver<ResolversTypes['AppConnection'], ParentType, ContextType, Partial<ProjectAppsArgs>>;
  createTime?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  description?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  etag?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  imageCoverCid?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  imageCoverUrl?: Resolver<ResolversTypes['URL'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['ResourceName'], ParentType, ContextType>;
  reference?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  wallets?: Resolver<ResolversTypes['WalletConnection'], ParentType, ContextType, Partial<ProjectWalletsArgs>>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type ProjectConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ProjectConnection'] = ResolversParentTypes['ProjectConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['ProjectEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Project']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type ProjectEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ProjectEdge'] = ResolversParentTypes['ProjectEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Project'], ParentType, ContextType>;
};

export type QueryResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  apps: Resolver<ResolversTypes['AppConnection'], ParentType, ContextType, RequireFields<QueryAppsArgs, 'title'>>;
  events: Resolver<ResolversTypes['EventConnection'], ParentType, ContextType, Partial<QueryEventsArgs>>;
  node: Resolver<Maybe<ResolversTypes['Node']>, ParentType, ContextType, RequireFields<QueryNodeArgs, 'id'>>;
  nodes: Resolver<ReadonlyArray<Maybe<ResolversTypes['Node']>>, ParentType, ContextType, RequireFields<QueryNodesArgs, 'ids'>>;
  projects: Resolver<ResolversTypes['ProjectConnection'], ParentType, ContextType, Partial<QueryProjectsArgs>>;
  tokens: Resolver<ResolversTypes['TokenConnection'], ParentType, ContextType, Partial<QueryTokensArgs>>;
  viewer: Resolver<ResolversTypes['Viewer'], ParentType, ContextType>;
  wallets: Resolver<ResolversTypes['WalletConnection'], ParentType, ContextType, Partial<QueryWalletsArgs>>;
};

export interface ResourceNameScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['ResourceName'], any> {
  name: 'ResourceName';
}

export type RevokeTokenPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['RevokeTokenPayload'] = ResolversParentTypes['RevokeTokenPayload']> = {
  clientMutationId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  revokedTokenId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export type RotateAppKeyPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['RotateAppKeyPayload'] = ResolversParentTypes['RotateAppKeyPayload']> = {
  app?: Resolver<ResolversTypes['App'], ParentType, ContextType>;
  clientMutationId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  privateKey?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type SignInPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['SignInPayload'] = ResolversParentTypes['SignInPayload']> = {
  accessToken?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  app?: Resolver<ResolversTypes['App'], ParentType, ContextType>;
  clientMutationId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  expireTime?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type SignOutPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['SignOutPayload'] = ResolversParentTypes['SignOutPayload']> = {
  clientMutationId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type TokenResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Token'] = ResolversParentTypes['Token']> = {
  app?: Resolver<Maybe<ResolversTypes['App']>, ParentType, ContextType>;
  createTime?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  current?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  expireTime?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  lastUseTime?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  level?: Resolver<ResolversTypes['TokenLevel'], ParentType, ContextType>;
  maker?: Resolver<Maybe<ResolversTypes['ResourceName']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['ResourceName'], ParentType, ContextType>;
  onlyProject?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  project?: Resolver<Maybe<ResolversTypes['Project']>, ParentType, ContextType>;
  readOnly?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type TokenConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['TokenConnection'] = ResolversParentTypes['TokenConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['TokenEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Token']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type TokenEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['TokenEdge'] = ResolversParentTypes['TokenEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Token'], ParentType, ContextType>;
};

export interface UrlScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['URL'], any> {
  name: 'URL';
}

export type UnarchiveWalletPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['UnarchiveWalletPayload'] = ResolversParentTypes['UnarchiveWalletPayload']> = {
  clientMutationId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  wallet?: Resolver<ResolversTypes['Wallet'], ParentType, ContextType>;
};

export type UpdateAppPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['UpdateAppPayload'] = ResolversParentTypes['UpdateAppPayload']> = {
  app?: Resolver<ResolversTypes['App'], ParentType, ContextType>;
  clientMutationId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type UpdateProjectPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['UpdateProjectPayload'] = ResolversParentTypes['UpdateProjectPayload']> = {
  clientMutationId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  project?: Resolver<ResolversTypes['Project'], ParentType, ContextType>;
};

export type UpdateWalletPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['UpdateWalletPayload'] = ResolversParentTypes['UpdateWalletPayload']> = {
  clientMutationId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  wallet?: Resolver<ResolversTypes['Wallet'], ParentType, ContextType>;
};

export type ViewerResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Viewer'] = ResolversParentTypes['Viewer']> = {
  account?: Resolver<ResolversTypes['ResourceName'], ParentType, ContextType>;
  addressesLeft?: Resolver<Maybe<ReadonlyArray<ResolversTypes['AddressesLeft']>>, ParentType, ContextType>;
  app?: Resolver<Maybe<ResolversTypes['App']>, ParentType, ContextType>;
  expireTime?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  level?: Resolver<ResolversTypes['TokenLevel'], ParentType, ContextType>;
  maker?: Resolver<Maybe<ResolversTypes['ResourceName']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['ResourceName'], ParentType, ContextType>;
  onlyProject?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  project?: Resolver<ResolversTypes['Project'], ParentType, ContextType>;
  readOnly?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type WalletResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Wallet'] = ResolversParentTypes['Wallet']> = {
  address?: Resolver<ResolversTypes['Address'], ParentType, ContextType>;
  archiveTime?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  createTime?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  description?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  etag?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['ResourceName'], ParentType, ContextType>;
  network?: Resolver<ResolversTypes['Network'], ParentType, ContextType>;
  password?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  project?: Resolver<ResolversTypes['Project'], ParentType, ContextType>;
  reference?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  updateTime?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type WalletConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['WalletConnection'] = ResolversParentTypes['WalletConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['WalletEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Wallet']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type WalletEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['WalletEdge'] = ResolversParentTypes['WalletEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Wallet'], ParentType, ContextType>;
};

export type Resolvers<ContextType = GraphqlContext> = {
  Address?: GraphQLScalarType;
  AddressesLeft?: AddressesLeftResolvers<ContextType>;
  App?: AppResolvers<ContextType>;
  AppConnection?: AppConnectionResolvers<ContextType>;
  AppEdge?: AppEdgeResolvers<ContextType>;
  AppKey?: AppKeyResolvers<ContextType>;
  ArchiveWalletPayload?: ArchiveWalletPayloadResolvers<ContextType>;
  CreateAppPayload?: CreateAppPayloadResolvers<ContextType>;
  CreateProjectPayload?: CreateProjectPayloadResolvers<ContextType>;
  CreateTokenPayload?: CreateTokenPayloadResolvers<ContextType>;
  CreateWalletPayload?: CreateWalletPayloadResolvers<ContextType>;
  DateTime?: GraphQLScalarType;
  DeleteAppPayload?: DeleteAppPayloadResolvers<ContextType>;
  DeleteProjectPayload?: DeleteProjectPayloadResolvers<ContextType>;
  Event?: EventResolvers<ContextType>;
  EventConnection?: EventConnectionResolvers<ContextType>;
  EventEdge?: EventEdgeResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  Node?: NodeResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  Project?: ProjectResolvers<ContextType>;
  ProjectConnection?: ProjectConnectionResolvers<ContextType>;
  ProjectEdge?: ProjectEdgeResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  ResourceName?: GraphQLScalarType;
  RevokeTokenPayload?: RevokeTokenPayloadResolvers<ContextType>;
  RotateAppKeyPayload?: RotateAppKeyPayloadResolvers<ContextType>;
  SignInPayload?: SignInPayloadResolvers<ContextType>;
  SignOutPayload?: SignOutPayloadResolvers<ContextType>;
  Token?: TokenResolvers<ContextType>;
  TokenConnection?: TokenConnectionResolvers<ContextType>;
  TokenEdge?: TokenEdgeResolvers<ContextType>;
  URL?: GraphQLScalarType;
  UnarchiveWalletPayload?: UnarchiveWalletPayloadResolvers<ContextType>;
  UpdateAppPayload?: UpdateAppPayloadResolvers<ContextType>;
  UpdateProjectPayload?: UpdateProjectPayloadResolvers<ContextType>;
  UpdateWalletPayload?: UpdateWalletPayloadResolvers<ContextType>;
  Viewer?: ViewerResolvers<ContextType>;
  Wallet?: WalletResolvers<ContextType>;
  WalletConnection?: WalletConnectionResolvers<ContextType>;
  WalletEdge?: WalletEdgeResolvers<ContextType>;
};

