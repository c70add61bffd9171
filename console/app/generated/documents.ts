/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** The input of `archiveWallet`. */
export type ArchiveWalletInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: string | null | undefined;
  /**
   * An `etag` of the wallet, of 1 to 100 characters. If the wallet has a different one now, nothing
   * is changed, and the error is `ETAG_MISMATCH`.
   */
  readonly ifMatch?: string | null | undefined;
  /** The name of the wallet to archive. */
  readonly name: string;
};

/** The input of `createApp`. */
export type CreateAppInput = {
  /** Whether the app can sign in. */
  readonly active: boolean;
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: string | null | undefined;
  /**
   * The project of the app: any project of the account. The default is the project of the
   * account token, or the first project of the account if the token has none.
   */
  readonly project?: string | null | undefined;
  /** The title, from 1 to 200 characters. */
  readonly title: string;
};

/** The input of `createProject`. */
export type CreateProjectInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: string | null | undefined;
  /** A short description, up to 2,000 characters. The default is an empty one. */
  readonly description?: string | null | undefined;
  /**
   * The reference, from 1 to 64 of the characters `A-Z`, `a-z`, `0-9`, `.`, `_`, `:` and `-`. If a project has
   * it, this project is returned.
   */
  readonly reference?: string | null | undefined;
  /** The title, from 1 to 200 characters. */
  readonly title: string;
};

/** The input of `createToken`. */
export type CreateTokenInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: string | null | undefined;
  /**
   * The expiry, not later than the expiry of the token of the request. The default is in 90 days, or that
   * expiry if it is earlier.
   */
  readonly expireTime?: string | null | undefined;
  /**
   * The only project that the token has access to. The default is the whole account, with new apps in the
   * project of the token of the request.
   */
  readonly project?: string | null | undefined;
  /** Whether the token is read-only. The default is false. */
  readonly readOnly?: boolean | null | undefined;
  /** The title, from 1 to 200 characters, to recognize the token by in lists. */
  readonly title: string;
};

/** The input of `createWallet`. */
export type CreateWalletInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: string | null | undefined;
  /** A short description, up to 2,000 characters. The default is an empty string. */
  readonly description?: string | null | undefined;
  /** The blockchain network. */
  readonly network: Network;
  /** The password: exactly 32 characters. Without it, the wallet has none until an update sets one. */
  readonly password?: string | null | undefined;
  /** The project of the wallet. The default is the project of the token. The token must have access to it. */
  readonly project?: string | null | undefined;
  /**
   * The reference, from 1 to 64 of the characters `A-Z`, `a-z`, `0-9`, `.`, `_`, `:` and `-`. If a wallet has
   * it, this wallet is returned.
   */
  readonly reference?: string | null | undefined;
  /** The title, from 1 to 200 characters. */
  readonly title: string;
};

/** The input of `deleteApp`. */
export type DeleteAppInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: string | null | undefined;
  /** The name of the app to delete. */
  readonly name: string;
};

/** The input of `deleteProject`. */
export type DeleteProjectInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: string | null | undefined;
  /**
   * An `etag` of the project, of 1 to 100 characters. If the project has a different one now, nothing
   * is deleted, and the error is `ETAG_MISMATCH`.
   */
  readonly ifMatch?: string | null | undefined;
  /** The name of the project to delete. */
  readonly name: string;
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

/** The input of `rotateAppKey`. */
export type RotateAppKeyInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: string | null | undefined;
  /**
   * How long the old key and its project tokens stay valid, in seconds, from 0 to 604,800 (7 days).
   * The default is 0: they are revoked immediately.
   */
  readonly gracePeriod?: number | null | undefined;
  /** The name of the app. */
  readonly name: string;
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
  readonly clientMutationId?: string | null | undefined;
  /** An `etag` of the wallet. Like the `ifMatch` of `archiveWallet`. */
  readonly ifMatch?: string | null | undefined;
  /** The name of the wallet to unarchive. */
  readonly name: string;
};

/** The input of `updateApp`. An omitted field is unchanged. Null is an error. */
export type UpdateAppInput = {
  /** Whether the app can sign in. */
  readonly active?: boolean | null | undefined;
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: string | null | undefined;
  /**
   * An `etag` of the app, of 1 to 100 characters. If the app has a different one now, nothing is changed, and
   * the error is `ETAG_MISMATCH`.
   */
  readonly ifMatch?: string | null | undefined;
  /** The name of the app to update. */
  readonly name: string;
  /** The new title, from 1 to 200 characters. */
  readonly title?: string | null | undefined;
};

/** The input of `updateProject`. An omitted field is unchanged. Null is an error, but removes a reference. */
export type UpdateProjectInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: string | null | undefined;
  /** The new description, up to 2,000 characters. An empty string clears it. */
  readonly description?: string | null | undefined;
  /**
   * An `etag` of the project, of 1 to 100 characters. If the project has a different one now, nothing
   * is changed, and the error is `ETAG_MISMATCH`.
   */
  readonly ifMatch?: string | null | undefined;
  /** The name of the project to update. */
  readonly name: string;
  /** The new reference. If another project of the account has it, the error is `ALREADY_EXISTS`. Null removes it. */
  readonly reference?: string | null | undefined;
  /** The new title, from 1 to 200 characters. */
  readonly title?: string | null | undefined;
};

/** The input of `updateWallet`. An omitted field is unchanged. Null is an error, but removes a reference. */
export type UpdateWalletInput = {
  /** Any text, up to 2,000 characters. The payload returns it unchanged. */
  readonly clientMutationId?: string | null | undefined;
  /** The new description, up to 2,000 characters. An empty string clears it. */
  readonly description?: string | null | undefined;
  /**
   * An `etag` of the wallet, of 1 to 100 characters. If the wallet has a different one now, nothing
   * is changed, and the error is `ETAG_MISMATCH`.
   */
  readonly ifMatch?: string | null | undefined;
  /** The name of the wallet to update. */
  readonly name: string;
  /** The new network. */
  readonly network?: Network | null | undefined;
  /** The new password: exactly 32 characters. */
  readonly password?: string | null | undefined;
  /** The new project. The token must have access to it. */
  readonly project?: string | null | undefined;
  /** The new reference. If another wallet of the account has it, the error is `ALREADY_EXISTS`. Null removes it. */
  readonly reference?: string | null | undefined;
  /** The new title, from 1 to 200 characters. */
  readonly title?: string | null | undefined;
};

export type SearchQueryVariables = Exact<{
  title: string;
  first: number;
  reference?: string | null | undefined;
  isReference: boolean;
}>;


export type SearchQuery = { readonly projects: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly name: string, readonly title: string, readonly imageCoverUrl: string }> }, readonly wallets: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly name: string, readonly title: string, readonly address: string, readonly project: { readonly title: string } }> }, readonly apps: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly name: string, readonly title: string, readonly active: boolean, readonly project: { readonly title: string } }> }, readonly project?: { readonly nodes: ReadonlyArray<{ readonly name: string, readonly title: string, readonly imageCoverUrl: string }> }, readonly wallet?: { readonly nodes: ReadonlyArray<{ readonly name: string, readonly title: string, readonly address: string, readonly project: { readonly title: string } }> } };

export type SearchAddressQueryVariables = Exact<{
  address: string;
  first: number;
}>;


export type SearchAddressQuery = { readonly wallets: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly name: string, readonly title: string, readonly address: string, readonly project: { readonly title: string } }> } };

export type SearchNamesQueryVariables = Exact<{
  names: ReadonlyArray<string | number> | string | number;
}>;


export type SearchNamesQuery = { readonly nodes: ReadonlyArray<
    | { readonly name: string, readonly title: string, readonly active: boolean, readonly project: { readonly title: string } }
    | { readonly name: string, readonly title: string, readonly imageCoverUrl: string }
    | { readonly name: string, readonly title: string, readonly address: string, readonly project: { readonly title: string } }
   | null> };

type Hit_App_Fragment = { readonly name: string, readonly title: string, readonly active: boolean, readonly project: { readonly title: string } };

type Hit_Project_Fragment = { readonly name: string, readonly title: string, readonly imageCoverUrl: string };

type Hit_Wallet_Fragment = { readonly name: string, readonly title: string, readonly address: string, readonly project: { readonly title: string } };

export type HitFragment =
  | Hit_App_Fragment
  | Hit_Project_Fragment
  | Hit_Wallet_Fragment
;

export type AppsQueryVariables = Exact<{
  project: string | number;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  title?: string | null | undefined;
}>;


export type AppsQuery = { readonly node:
    | { readonly apps: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly name: string, readonly title: string, readonly active: boolean, readonly lastSignInTime: string | null, readonly createTime: string, readonly etag: string, readonly keys: ReadonlyArray<{ readonly id: string, readonly expireTime: string | null }>, readonly project: { readonly name: string, readonly title: string } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } }
    | Record<PropertyKey, never>
   | null };

export type AppQueryVariables = Exact<{
  name: string | number;
}>;


export type AppQuery = { readonly node:
    | { readonly name: string, readonly title: string, readonly active: boolean, readonly lastSignInTime: string | null, readonly createTime: string, readonly etag: string, readonly keys: ReadonlyArray<{ readonly id: string, readonly expireTime: string | null }>, readonly project: { readonly name: string, readonly title: string } }
    | Record<PropertyKey, never>
   | null };

export type AppRowFragment = { readonly name: string, readonly title: string, readonly active: boolean, readonly lastSignInTime: string | null, readonly createTime: string, readonly etag: string, readonly keys: ReadonlyArray<{ readonly id: string, readonly expireTime: string | null }>, readonly project: { readonly name: string, readonly title: string } };

export type CreateAppMutationVariables = Exact<{
  input: CreateAppInput;
}>;


export type CreateAppMutation = { readonly createApp: { readonly privateKey: string, readonly app: { readonly name: string, readonly title: string } } | null };

export type UpdateAppMutationVariables = Exact<{
  input: UpdateAppInput;
}>;


export type UpdateAppMutation = { readonly updateApp: { readonly app: { readonly name: string, readonly title: string, readonly active: boolean, readonly lastSignInTime: string | null, readonly createTime: string, readonly etag: string, readonly keys: ReadonlyArray<{ readonly id: string, readonly expireTime: string | null }>, readonly project: { readonly name: string, readonly title: string } } } | null };

export type RotateAppKeyMutationVariables = Exact<{
  input: RotateAppKeyInput;
}>;


export type RotateAppKeyMutation = { readonly rotateAppKey: { readonly privateKey: string, readonly app: { readonly name: string, readonly title: string } } | null };

export type DeleteAppMutationVariables = Exact<{
  input: DeleteAppInput;
}>;


export type DeleteAppMutation = { readonly deleteApp: { readonly deletedAppId: string } | null };

export type EventsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  action?: string | null | undefined;
  resource?: string | null | undefined;
  since?: string | null | undefined;
  until?: string | null | undefined;
}>;


export type EventsQuery = { readonly events: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly name: string, readonly action: string, readonly resource: string, readonly resourceTitle: string | null, readonly credential: string | null, readonly app: string | null, readonly by: string, readonly token: string | null, readonly fields: ReadonlyArray<string>, readonly address: string | null, readonly requestId: string | null, readonly count: number, readonly time: string }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type ProjectQueryVariables = Exact<{
  name: string | number;
  createsWallets?: boolean | null | undefined;
}>;


export type ProjectQuery = { readonly node:
    | { readonly name: string, readonly title: string, readonly description: string, readonly imageCoverUrl: string, readonly reference: string | null, readonly createTime: string, readonly etag: string, readonly wallets: { readonly totalCount: number }, readonly apps: { readonly totalCount: number } }
    | Record<PropertyKey, never>
   | null, readonly viewer: { readonly addressesLeft?: ReadonlyArray<{ readonly network: Network, readonly count: number }> | null } };

export type ProjectFieldsFragment = { readonly name: string, readonly title: string, readonly description: string, readonly imageCoverUrl: string, readonly reference: string | null, readonly createTime: string, readonly etag: string };

export type UpdateProjectMutationVariables = Exact<{
  input: UpdateProjectInput;
}>;


export type UpdateProjectMutation = { readonly updateProject: { readonly project: { readonly name: string, readonly title: string, readonly description: string, readonly imageCoverUrl: string, readonly reference: string | null, readonly createTime: string, readonly etag: string } } | null };

export type DeleteProjectMutationVariables = Exact<{
  input: DeleteProjectInput;
}>;


export type DeleteProjectMutation = { readonly deleteProject: { readonly deletedProjectId: string } | null };

export type ProjectsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  title?: string | null | undefined;
}>;


export type ProjectsQuery = { readonly projects: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly name: string, readonly title: string, readonly description: string, readonly imageCoverUrl: string, readonly createTime: string }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type CreateProjectMutationVariables = Exact<{
  input: CreateProjectInput;
}>;


export type CreateProjectMutation = { readonly createProject: { readonly project: { readonly name: string } } | null };

export type TokensQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type TokensQuery = { readonly tokens: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly name: string, readonly title: string, readonly level: TokenLevel, readonly readOnly: boolean, readonly onlyProject: boolean, readonly maker: string | null, readonly createTime: string, readonly expireTime: string, readonly lastUseTime: string | null, readonly current: boolean, readonly project: { readonly name: string, readonly title: string } | null, readonly app: { readonly name: string, readonly title: string } | null }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type CreateTokenMutationVariables = Exact<{
  input: CreateTokenInput;
}>;


export type CreateTokenMutation = { readonly createToken: { readonly accessToken: string, readonly token: { readonly name: string, readonly title: string } } | null };

export type RevokeTokenMutationVariables = Exact<{
  id: string | number;
}>;


export type RevokeTokenMutation = { readonly revokeToken: { readonly revokedTokenId: string } | null };

export type WalletsQueryVariables = Exact<{
  project: string | number;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  title?: string | null | undefined;
  archived?: boolean | null | undefined;
}>;


export type WalletsQuery = { readonly node:
    | { readonly wallets: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly name: string, readonly title: string, readonly description: string, readonly network: Network, readonly address: string, readonly reference: string | null, readonly createTime: string, readonly updateTime: string, readonly archiveTime: string | null, readonly etag: string, readonly project: { readonly name: string, readonly title: string } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } }
    | Record<PropertyKey, never>
   | null };

export type FoundWalletsQueryVariables = Exact<{
  address?: string | null | undefined;
  title?: string | null | undefined;
  archived?: boolean | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type FoundWalletsQuery = { readonly wallets: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly name: string, readonly title: string, readonly description: string, readonly network: Network, readonly address: string, readonly reference: string | null, readonly createTime: string, readonly updateTime: string, readonly archiveTime: string | null, readonly etag: string, readonly project: { readonly name: string, readonly title: string } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type WalletQueryVariables = Exact<{
  name: string | number;
}>;


export type WalletQuery = { readonly node:
    | { readonly name: string, readonly title: string, readonly description: string, readonly network: Network, readonly address: string, readonly reference: string | null, readonly createTime: string, readonly updateTime: string, readonly archiveTime: string | null, readonly etag: string, readonly project: { readonly name: string, readonly title: string } }
    | Record<PropertyKey, never>
   | null };

export type WalletRowFragment = { readonly name: string, readonly title: string, readonly description: string, readonly network: Network, readonly address: string, readonly reference: string | null, readonly createTime: string, readonly updateTime: string, readonly archiveTime: string | null, readonly etag: string, readonly project: { readonly name: string, readonly title: string } };

export type CreateWalletMutationVariables = Exact<{
  input: CreateWalletInput;
}>;


export type CreateWalletMutation = { readonly createWallet: { readonly wallet: { readonly name: string, readonly title: string } } | null };

export type UpdateWalletMutationVariables = Exact<{
  input: UpdateWalletInput;
}>;


export type UpdateWalletMutation = { readonly updateWallet: { readonly wallet: { readonly name: string, readonly title: string, readonly description: string, readonly network: Network, readonly address: string, readonly reference: string | null, readonly createTime: string, readonly updateTime: string, readonly archiveTime: string | null, readonly etag: string, readonly project: { readonly name: string, readonly title: string } } } | null };

export type ArchiveWalletMutationVariables = Exact<{
  input: ArchiveWalletInput;
}>;


export type ArchiveWalletMutation = { readonly archiveWallet: { readonly wallet: { readonly name: string, readonly title: string, readonly description: string, readonly network: Network, readonly address: string, readonly reference: string | null, readonly createTime: string, readonly updateTime: string, readonly archiveTime: string | null, readonly etag: string, readonly project: { readonly name: string, readonly title: string } } } | null };

export type UnarchiveWalletMutationVariables = Exact<{
  input: UnarchiveWalletInput;
}>;


export type UnarchiveWalletMutation = { readonly unarchiveWallet: { readonly wallet: { readonly name: string, readonly title: string, readonly description: string, readonly network: Network, readonly address: string, readonly reference: string | null, readonly createTime: string, readonly updateTime: string, readonly archiveTime: string | null, readonly etag: string, readonly project: { readonly name: string, readonly title: string } } } | null };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { readonly viewer: { readonly name: string, readonly title: string, readonly level: TokenLevel, readonly readOnly: boolean, readonly account: string, readonly onlyProject: boolean, readonly maker: string | null, readonly expireTime: string, readonly project: { readonly name: string, readonly title: string }, readonly app: { readonly name: string, readonly title: string } | null } };

export type TypedDocumentString<TResult, TVariables> = string & DocumentTypeDecoration<TResult, TVariables>;
export const HitFragmentDoc = `
    fragment Hit on Node {
  ... on Project {
    name
    title
    imageCoverUrl
  }
  ... on Wallet {
    name
    title
    address
    project {
      title
    }
  }
  ... on App {
    name
    title
    active
    project {
      title
    }
  }
}
    ` as unknown as TypedDocumentString<HitFragment, unknown>;
export const AppRowFragmentDoc = `
    fragment AppRow on App {
  name
  title
  active
  lastSignInTime
  createTime
  etag
  keys {
    id
    expireTime
  }
  project {
    name
    title
  }
}
    ` as unknown as TypedDocumentString<AppRowFragment, unknown>;
export const ProjectFieldsFragmentDoc = `
    fragment ProjectFields on Project {
  name
  title
  description
  imageCoverUrl
  reference
  createTime
  etag
}
    ` as unknown as TypedDocumentString<ProjectFieldsFragment, unknown>;
export const WalletRowFragmentDoc = `
    fragment WalletRow on Wallet {
  name
  title
  description
  network
  address
  reference
  createTime
  updateTime
  archiveTime
  etag
  project {
    name
    title
  }
}
    ` as unknown as TypedDocumentString<WalletRowFragment, unknown>;
export const SearchDocument = `
    query Search($title: String!, $first: Int!, $reference: String, $isReference: Boolean!) {
  projects(title: $title, first: $first) {
    totalCount
    nodes {
      ...Hit
    }
  }
  wallets(title: $title, first: $first) {
    totalCount
    nodes {
      ...Hit
    }
  }
  apps(title: $title, first: $first) {
    totalCount
    nodes {
      ...Hit
    }
  }
  project: projects(reference: $reference) @include(if: $isReference) {
    nodes {
      ...Hit
    }
  }
  wallet: wallets(reference: $reference) @include(if: $isReference) {
    nodes {
      ...Hit
    }
  }
}
    fragment Hit on Node {
  ... on Project {
    name
    title
    imageCoverUrl
  }
  ... on Wallet {
    name
    title
    address
    project {
      title
    }
  }
  ... on App {
    name
    title
    active
    project {
      title
    }
  }
}` as unknown as TypedDocumentString<SearchQuery, SearchQueryVariables>;
export const SearchAddressDocument = `
    query SearchAddress($address: Address!, $first: Int!) {
  wallets(address: $address, first: $first) {
    totalCount
    nodes {
      ...Hit
    }
  }
}
    fragment Hit on Node {
  ... on Project {
    name
    title
    imageCoverUrl
  }
  ... on Wallet {
    name
    title
    address
    project {
      title
    }
  }
  ... on App {
    name
    title
    active
    project {
      title
    }
  }
}` as unknown as TypedDocumentString<SearchAddressQuery, SearchAddressQueryVariables>;
export const SearchNamesDocument = `
    query SearchNames($names: [ID!]!) {
  nodes(ids: $names) {
    ...Hit
  }
}
    fragment Hit on Node {
  ... on Project {
    name
    title
    imageCoverUrl
  }
  ... on Wallet {
    name
    title
    address
    project {
      title
    }
  }
  ... on App {
    name
    title
    active
    project {
      title
    }
  }
}` as unknown as TypedDocumentString<SearchNamesQuery, SearchNamesQueryVariables>;
export const AppsDocument = `
    query Apps($project: ID!, $first: Int, $after: String, $last: Int, $before: String, $title: String) {
  node(id: $project) {
    ... on Project {
      apps(first: $first, after: $after, last: $last, before: $before, title: $title) {
        totalCount
        nodes {
          ...AppRow
        }
        pageInfo {
          hasNextPage
          hasPreviousPage
          startCursor
          endCursor
        }
      }
    }
  }
}
    fragment AppRow on App {
  name
  title
  active
  lastSignInTime
  createTime
  etag
  keys {
    id
    expireTime
  }
  project {
    name
    title
  }
}` as unknown as TypedDocumentString<AppsQuery, AppsQueryVariables>;
export const AppDocument = `
    query App($name: ID!) {
  node(id: $name) {
    ...AppRow
  }
}
    fragment AppRow on App {
  name
  title
  active
  lastSignInTime
  createTime
  etag
  keys {
    id
    expireTime
  }
  project {
    name
    title
  }
}` as unknown as TypedDocumentString<AppQuery, AppQueryVariables>;
export const CreateAppDocument = `
    mutation CreateApp($input: CreateAppInput!) {
  createApp(input: $input) {
    app {
      name
      title
    }
    privateKey
  }
}
    ` as unknown as TypedDocumentString<CreateAppMutation, CreateAppMutationVariables>;
export const UpdateAppDocument = `
    mutation UpdateApp($input: UpdateAppInput!) {
  updateApp(input: $input) {
    app {
      ...AppRow
    }
  }
}
    fragment AppRow on App {
  name
  title
  active
  lastSignInTime
  createTime
  etag
  keys {
    id
    expireTime
  }
  project {
    name
    title
  }
}` as unknown as TypedDocumentString<UpdateAppMutation, UpdateAppMutationVariables>;
export const RotateAppKeyDocument = `
    mutation RotateAppKey($input: RotateAppKeyInput!) {
  rotateAppKey(input: $input) {
    app {
      name
      title
    }
    privateKey
  }
}
    ` as unknown as TypedDocumentString<RotateAppKeyMutation, RotateAppKeyMutationVariables>;
export const DeleteAppDocument = `
    mutation DeleteApp($input: DeleteAppInput!) {
  deleteApp(input: $input) {
    deletedAppId
  }
}
    ` as unknown as TypedDocumentString<DeleteAppMutation, DeleteAppMutationVariables>;
export const EventsDocument = `
    query Events($first: Int, $after: String, $last: Int, $before: String, $action: String, $resource: ResourceName, $since: DateTime, $until: DateTime) {
  events(
    first: $first
    after: $after
    last: $last
    before: $before
    action: $action
    resource: $resource
    since: $since
    until: $until
  ) {
    totalCount
    nodes {
      name
      action
      resource
      resourceTitle
      credential
      app
      by
      token
      fields
      address
      requestId
      count
      time
    }
    pageInfo {
      hasNextPage
      hasPreviousPage
      startCursor
      endCursor
    }
  }
}
    ` as unknown as TypedDocumentString<EventsQuery, EventsQueryVariables>;
export const ProjectDocument = `
    query Project($name: ID!, $createsWallets: Boolean = false) {
  node(id: $name) {
    ...ProjectFields
    ... on Project {
      wallets(first: 1) {
        totalCount
      }
      apps(first: 1) {
        totalCount
      }
    }
  }
  viewer {
    addressesLeft @include(if: $createsWallets) {
      network
      count
    }
  }
}
    fragment ProjectFields on Project {
  name
  title
  description
  imageCoverUrl
  reference
  createTime
  etag
}` as unknown as TypedDocumentString<ProjectQuery, ProjectQueryVariables>;
export const UpdateProjectDocument = `
    mutation UpdateProject($input: UpdateProjectInput!) {
  updateProject(input: $input) {
    project {
      ...ProjectFields
    }
  }
}
    fragment ProjectFields on Project {
  name
  title
  description
  imageCoverUrl
  reference
  createTime
  etag
}` as unknown as TypedDocumentString<UpdateProjectMutation, UpdateProjectMutationVariables>;
export const DeleteProjectDocument = `
    mutation DeleteProject($input: DeleteProjectInput!) {
  deleteProject(input: $input) {
    deletedProjectId
  }
}
    ` as unknown as TypedDocumentString<DeleteProjectMutation, DeleteProjectMutationVariables>;
export const ProjectsDocument = `
    query Projects($first: Int, $after: String, $last: Int, $before: String, $title: String) {
  projects(
    first: $first
    after: $after
    last: $last
    before: $before
    title: $title
  ) {
    totalCount
    nodes {
      name
      title
      description
      imageCoverUrl
      createTime
    }
    pageInfo {
      hasNextPage
      hasPreviousPage
      startCursor
      endCursor
    }
  }
}
    ` as unknown as TypedDocumentString<ProjectsQuery, ProjectsQueryVariables>;
export const CreateProjectDocument = `
    mutation CreateProject($input: CreateProjectInput!) {
  createProject(input: $input) {
    project {
      name
    }
  }
}
    ` as unknown as TypedDocumentString<CreateProjectMutation, CreateProjectMutationVariables>;
export const TokensDocument = `
    query Tokens($first: Int, $after: String, $last: Int, $before: String) {
  tokens(first: $first, after: $after, last: $last, before: $before) {
    totalCount
    nodes {
      name
      title
      level
      readOnly
      onlyProject
      project {
        name
        title
      }
      app {
        name
        title
      }
      maker
      createTime
      expireTime
      lastUseTime
      current
    }
    pageInfo {
      hasNextPage
      hasPreviousPage
      startCursor
      endCursor
    }
  }
}
    ` as unknown as TypedDocumentString<TokensQuery, TokensQueryVariables>;
export const CreateTokenDocument = `
    mutation CreateToken($input: CreateTokenInput!) {
  createToken(input: $input) {
    token {
      name
      title
    }
    accessToken
  }
}
    ` as unknown as TypedDocumentString<CreateTokenMutation, CreateTokenMutationVariables>;
export const RevokeTokenDocument = `
    mutation RevokeToken($id: ID!) {
  revokeToken(input: {id: $id}) {
    revokedTokenId
  }
}
    ` as unknown as TypedDocumentString<RevokeTokenMutation, RevokeTokenMutationVariables>;
export const WalletsDocument = `
    query Wallets($project: ID!, $first: Int, $after: String, $last: Int, $before: String, $title: String, $archived: Boolean) {
  node(id: $project) {
    ... on Project {
      wallets(
        first: $first
        after: $after
        last: $last
        before: $before
        title: $title
        archived: $archived
      ) {
        totalCount
        nodes {
          ...WalletRow
        }
        pageInfo {
          hasNextPage
          hasPreviousPage
          startCursor
          endCursor
        }
      }
    }
  }
}
    fragment WalletRow on Wallet {
  name
  title
  description
  network
  address
  reference
  createTime
  updateTime
  archiveTime
  etag
  project {
    name
    title
  }
}` as unknown as TypedDocumentString<WalletsQuery, WalletsQueryVariables>;
export const FoundWalletsDocument = `
    query FoundWallets($address: Address, $title: String, $archived: Boolean, $first: Int, $after: String, $last: Int, $before: String) {
  wallets(
    address: $address
    title: $title
    archived: $archived
    first: $first
    after: $after
    last: $last
    before: $before
  ) {
    totalCount
    nodes {
      ...WalletRow
    }
    pageInfo {
      hasNextPage
      hasPreviousPage
      startCursor
      endCursor
    }
  }
}
    fragment WalletRow on Wallet {
  name
  title
  description
  network
  address
  reference
  createTime
  updateTime
  archiveTime
  etag
  project {
    name
    title
  }
}` as unknown as TypedDocumentString<FoundWalletsQuery, FoundWalletsQueryVariables>;
export const WalletDocument = `
    query Wallet($name: ID!) {
  node(id: $name) {
    ...WalletRow
  }
}
    fragment WalletRow on Wallet {
  name
  title
  description
  network
  address
  reference
  createTime
  updateTime
  archiveTime
  etag
  project {
    name
    title
  }
}` as unknown as TypedDocumentString<WalletQuery, WalletQueryVariables>;
export const CreateWalletDocument = `
    mutation CreateWallet($input: CreateWalletInput!) {
  createWallet(input: $input) {
    wallet {
      name
      title
    }
  }
}
    ` as unknown as TypedDocumentString<CreateWalletMutation, CreateWalletMutationVariables>;
export const UpdateWalletDocument = `
    mutation UpdateWallet($input: UpdateWalletInput!) {
  updateWallet(input: $input) {
    wallet {
      ...WalletRow
    }
  }
}
    fragment WalletRow on Wallet {
  name
  title
  description
  network
  address
  reference
  createTime
  updateTime
  archiveTime
  etag
  project {
    name
    title
  }
}` as unknown as TypedDocumentString<UpdateWalletMutation, UpdateWalletMutationVariables>;
export const ArchiveWalletDocument = `
    mutation ArchiveWallet($input: ArchiveWalletInput!) {
  archiveWallet(input: $input) {
    wallet {
      ...WalletRow
    }
  }
}
    fragment WalletRow on Wallet {
  name
  title
  description
  network
  address
  reference
  createTime
  updateTime
  archiveTime
  etag
  project {
    name
    title
  }
}` as unknown as TypedDocumentString<ArchiveWalletMutation, ArchiveWalletMutationVariables>;
export const UnarchiveWalletDocument = `
    mutation UnarchiveWallet($input: UnarchiveWalletInput!) {
  unarchiveWallet(input: $input) {
    wallet {
      ...WalletRow
    }
  }
}
    fragment WalletRow on Wallet {
  name
  title
  description
  network
  address
  reference
  createTime
  updateTime
  archiveTime
  etag
  project {
    name
    title
  }
}` as unknown as TypedDocumentString<UnarchiveWalletMutation, UnarchiveWalletMutationVariables>;
export const ViewerDocument = `
    query Viewer {
  viewer {
    name
    title
    level
    readOnly
    account
    project {
      name
      title
    }
    onlyProject
    app {
      name
      title
    }
    maker
    expireTime
  }
}
    ` as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;