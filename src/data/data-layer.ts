import type { App } from '../model/app.ts';
import type { AuditEvent } from '../model/audit-event.ts';
import type { ConnectionArguments, ConnectionPage } from '../model/lists/list-page.ts';
import type { Principal, RequestOwner } from '../model/principal.ts';
import type { Project } from '../model/project.ts';
import type { ResourceName, Ulid } from '../model/resource-name.ts';
import type { Token } from '../model/token.ts';
import type { Wallet } from '../model/wallet.ts';

/**
 * The fields of a request as the client sent them. The operation validates them, and throws INVALID_ARGUMENT with a violation
 * for every invalid field.
 */
export type UntrustedInput = Readonly<Record<string, unknown>>;

export type Client = {
  readonly requestId: string;
  /** The IPv4 address of the client, or its IPv6 network. */
  readonly address: string;
  /** The time at which the work on the request began, as `performance.now()`. */
  readonly startMs: number;
};

/** A client that has no bearer token, but the private key of an app or a token to revoke. */
export type OauthClient = Client & {
  /**
   * Counts the request when it is known whose it is, before anything is changed or recorded.
   *
   * @param owner the credential and its account, or undefined if the request is refused
   * @throws RESOURCE_EXHAUSTED if there are too many requests
   */
  count(owner: RequestOwner | undefined): Promise<void>;
};

export type AppCredentials = { readonly name: ResourceName<'apps'>; readonly privateKey: string };

export type SignInResult = {
  /** A bearer token for the project of the app. */
  readonly accessToken: string;
  /** The expiry of the token: Unix time in milliseconds. The token can be revoked earlier. */
  readonly expireTimeMs: number;
  /** The time until the expiry, in whole seconds. */
  readonly lifetimeSeconds: number;
  readonly app: App;
};

export type ProjectPage = ConnectionPage<Project>;

/** The arguments of a list that can be filtered by the beginning of the title; null means omitted. */
export type FilteredArguments = ConnectionArguments & { readonly title?: unknown };

export type EventArguments = ConnectionArguments & {
  readonly action?: unknown;
  readonly resource?: unknown;
  readonly settled?: unknown;
};

export type Resource = Project | App | Wallet;

/** A request with an `Idempotency-Key`: a client can repeat it, and it is executed once. */
export type IdempotentRequest = {
  /** The `Idempotency-Key`: unique among the requests of the app, or of the account tokens. */
  readonly key: string;
  /** The bearer token of the request, with which the response is sealed. */
  readonly bearerToken: string;
  /** What a repetition has to have in common: the operation, its input and its preconditions, as JSON in any order. */
  readonly content: unknown;
  /** Whether the request can have several operations. */
  readonly hasSeveral: boolean;
};

/**
 * A request with an `Idempotency-Key`: the kept response of an earlier request with the key, or the operations of the
 * first one, which are one transaction.
 */
export type KeyedRequest =
  | {
      /** Returns the kept response. Those of many requests at the same time would take much more memory than what was read. */
      readonly replay: () => string;
    }
  | {
      readonly replay?: undefined;
      readonly operations: Reads & Changes;
      /**
       * Commits what the operations have changed, and keeps the response for 24 hours if there is a change.
       * @throws ABORTED if another process has committed a request with this key
       * @throws INVALID_ARGUMENT if the response is too large. In all cases the changes are undone.
       */
      keep(response: string): Promise<void>;
      /** Undoes what the operations have changed, unless the response was kept. */
      undo(): Promise<void>;
    };

/**
 * The operations that only read. Each takes the principal that `authenticate` returned. As all operations of the data
 * layer, each throws errors for `toApiError`: INVALID_ARGUMENT with a violation for every invalid field, UNAVAILABLE if the
 * database is unavailable, and the errors listed below.
 */
export type Reads = {
  /**
   * Returns the principal of a bearer token.
   * @throws UNAUTHENTICATED if the token is malformed, unknown, expired or revoked
   */
  authenticate(bearerToken: string): Promise<Principal>;

  /**
   * Returns the public data of the token of the principal.
   * @throws UNAUTHENTICATED if the token has ended since the authentication
   */
  getViewer(principal: Principal): Promise<Token>;

  /**
   * Returns one page of the valid tokens of the account of the principal and of its apps, in the order of their issue.
   * @throws PERMISSION_DENIED if the principal does not see its whole account
   */
  listTokens(principal: Principal, input: ConnectionArguments): Promise<ConnectionPage<Token>>;

  /** Returns one page of the projects that are visible to the principal, in the order of their names. */
  listProjects(principal: Principal, input: FilteredArguments): Promise<ProjectPage>;

  /**
   * Returns one page of the wallets with an address that are visible to the principal, in the order of their names.
   * @param input the arguments of a connection, and `address`, in any case
   */
  findWallets(
    principal: Principal,
    input: ConnectionArguments & { readonly address?: unknown },
  ): Promise<ConnectionPage<Wallet>>;

  /**
   * Returns the same page of the apps of several projects, in the order of their names.
   * @param projects at most 100 names; a project that is not visible to the principal has no apps
   * @returns the pages, in the order of the projects
   */
  listProjectApps(
    principal: Principal,
    projects: readonly ResourceName<'projects'>[],
    input: ConnectionArguments,
  ): Promise<readonly ConnectionPage<App>[]>;

  /** Returns the same page of the wallets of several projects. See `listProjectApps`. */
  listProjectWallets(
    principal: Principal,
    projects: readonly ResourceName<'projects'>[],
    input: FilteredArguments,
  ): Promise<readonly ConnectionPage<Wallet>[]>;

  /**
   * Returns one page of the audit events of the account of the principal, the newest first.
   * @param input the arguments of a connection and, optionally, `action`, `resource` and `settled`; null means omitted
   * @throws PERMISSION_DENIED if the principal is not an account, or sees only one project of it
   */
  listEvents(principal: Principal, input: EventArguments): Promise<ConnectionPage<AuditEvent>>;

  /**
   * Returns the resources with the given names, in the order of the names. A resource that does not
   * exist or is not visible to the principal is null.
   * @param names at most 100 names
   */
  getResources(principal: Principal, names: readonly ResourceName[]): Promise<readonly (Resource | null)[]>;

  /** Checks that this instance can serve requests: see `Database.checkReady`. @throws UNAVAILABLE if it can't */
  checkReady(): Promise<void>;
};

/** The operations with which the principal of a request changes something. See `RequestDataLayer.changes`. */
export type Changes = {
  /**
   * Creates a project.
   * @param input see `createProjectFields`
   * @throws PERMISSION_DENIED if the principal does not see its whole account
   * @throws RESOURCE_EXHAUSTED if the account has `MAX_PROJECTS` projects
   */
  createProject(input: UntrustedInput): Promise<Project>;

  /**
   * Updates a project. Omitted fields are not changed.
   * @param input see `updateProjectFields`
   * @throws PERMISSION_DENIED if the principal is not an account
   * @throws NOT_FOUND if the project does not exist or is not visible to the principal
   */
  updateProject(input: UntrustedInput): Promise<Project>;

  /**
   * Creates an app. The result contains the private key.
   * @param input `title`, `active` and, optionally, `project`; the default is the principal's default project
   * @throws PERMISSION_DENIED if the principal is not an account
   * @throws RESOURCE_EXHAUSTED if the account has `MAX_APPS` apps
   */
  createApp(input: UntrustedInput): Promise<App>;

  /**
   * Updates an app. Omitted fields are not changed. A deactivation revokes all project tokens of the app.
   * @param input see `updateAppFields`
   * @throws PERMISSION_DENIED if the principal is not an account
   * @throws NOT_FOUND if the app does not exist or is not visible to the principal
   */
  updateApp(input: UntrustedInput): Promise<App>;

  /**
   * Deletes an app. Its keys and its project tokens end at once.
   * @param input `name`
   * @throws PERMISSION_DENIED if the principal is not an account
   * @throws NOT_FOUND if the app does not exist or is not visible to the principal
   */
  deleteApp(input: UntrustedInput): Promise<App>;

  /**
   * Gives an app a new private key, which the result contains. The old key, and the project tokens that were issued for
   * it, end after the grace period. A still earlier key ends at once, with its tokens.
   * @param input `name` and, optionally, `gracePeriod`, in seconds, 0 to 7 days; the default is 0
   * @throws PERMISSION_DENIED if the principal is not an account
   * @throws NOT_FOUND if the app does not exist or is not visible to the principal
   */
  rotateAppKey(input: UntrustedInput): Promise<App>;

  /**
   * Issues a project token for an app. If the app has too many tokens, the oldest are revoked.
   * @param input `name` and `privateKey` of the app
   * @throws UNAUTHENTICATED if the app does not exist or the key is wrong
   * @throws PERMISSION_DENIED if the app is inactive
   */
  signIn(input: UntrustedInput): Promise<SignInResult>;

  /** Ends the token of the principal. */
  signOut(): Promise<void>;

  /**
   * Revokes a token of the account of the principal or of one of its apps, also that of the principal. Returns its id.
   * @param input `id`
   * @throws PERMISSION_DENIED if the principal does not see its whole account
   * @throws NOT_FOUND if the account has no valid token with this id
   */
  revokeToken(input: UntrustedInput): Promise<Ulid>;

  /**
   * Updates a wallet. Omitted fields are not changed.
   * @param input see `updateWalletFields`
   * @throws NOT_FOUND if the wallet does not exist or is not visible to the principal
   * @throws RESOURCE_EXHAUSTED if too many passwords of the account are being set at the same time
   */
  updateWallet(input: UntrustedInput): Promise<Wallet>;
};

/** The changes of a request, which can have an `Idempotency-Key`. */
export type RequestChanges = Changes & {
  /**
   * Begins a request with an `Idempotency-Key`. The first request with the key has to be ended by `keep` or `undo`.
   * @throws INVALID_ARGUMENT if the key is invalid, or was used for another request
   * @throws ALREADY_EXISTS if the request was made with another token, with which its response was sealed
   * @throws ABORTED if a request with this key is running
   */
  beginKeyed(request: IdempotentRequest): Promise<KeyedRequest>;
};

/** The operations of a client that has no bearer token. */
export type OauthOperations = {
  /**
   * Issues a project token to an app that has no bearer token. Source: RFC 6749, section 4.4.
   * @param isReadOnly whether the token may only read
   * @throws UNAUTHENTICATED if the app does not exist or the key is wrong
   * @throws PERMISSION_DENIED if the app is inactive
   */
  grantToken(credentials: AppCredentials, isReadOnly: boolean, client: OauthClient): Promise<SignInResult>;

  /**
   * Ends a bearer token, if it is valid. Source: RFC 7009.
   * @param credentials of the app to which the token was issued; undefined if the client has only the token
   * @throws UNAUTHENTICATED if the credentials are wrong
   * @throws PERMISSION_DENIED if the token was not issued to the app
   */
  endToken(token: string, credentials: AppCredentials | undefined, client: OauthClient): Promise<void>;

  /**
   * Returns the public data of a project token, for the services of an app. Source: RFC 7662.
   * @returns undefined if the token is not a valid token of the project of the app
   * @throws UNAUTHENTICATED if the app does not exist or the key is wrong
   * @throws PERMISSION_DENIED if the app is inactive
   */
  introspectToken(
    token: string,
    credentials: AppCredentials,
    client: OauthClient,
  ): Promise<Token | undefined>;
};

export type RequestDataLayer = Reads &
  OauthOperations & {
    /**
     * Returns the operations with which a principal changes something. Each but `signOut` is made only if the token is still
     * valid when it begins.
     * @throws PERMISSION_DENIED if the token may only read
     */
    changes(principal: Principal, client: Client): RequestChanges;
  };

/** The operations of the service, which all APIs call. */
export type DataLayer = RequestDataLayer & {
  /** Returns the operations for one request: on PostgreSQL, they share a timeout. */
  during(client: Client): RequestDataLayer;
};
