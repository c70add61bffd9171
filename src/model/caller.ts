import type { Ulid } from './resource-name.ts';

/** The principal of a bearer token, and its access. */
export type Principal = {
  readonly accountId: Ulid;
  readonly tokenId: Ulid;
  /** The app that signed in; undefined for an account token. */
  readonly appId: Ulid | undefined;
  /**
   * The account token that created the token; undefined if the operator or a sign-in did. The token is revoked with it.
   */
  readonly makerTokenId: Ulid | undefined;
  /** The project of a project token. Of an account token, the project of a new app if the request has no `project`. */
  readonly projectId: Ulid;
  /** Whether the token has access to its project only, like every project token. */
  readonly isOneProject: boolean;
  readonly isReadOnly: boolean;
  /** The title of an account token; empty if it has none, and for a project token. */
  readonly title: string;
};

/** Where a request comes from. */
export type Client = {
  readonly requestId: string;
  /** The IPv4 address of the client, or its IPv6 network. */
  readonly address: string;
  /** The time at which the work on the request began, as `performance.now()`. */
  readonly startMs: number;
  /**
   * Counts the request of a client without a bearer token when it is known whose it is, before anything is changed or
   * recorded. It is undefined for others.
   *
   * @param owner the account, and the app or token; undefined if the request is refused
   * @throws RESOURCE_EXHAUSTED if there are too many requests
   */
  readonly count?: (owner: LimitOwner | undefined) => void;
};

/** Whose limits a request counts for. */
export type LimitOwner = Pick<Principal, 'accountId' | 'tokenId'>;

/** Who calls an operation by an API. The other one who calls operations is `'operator'`, by a command. */
export type Caller = { readonly principal: Principal; readonly client: Client };

/** Returns the only project that a caller has access to; undefined if it has access to the whole account. */
export function onlyProjectOf(caller: Caller | 'operator'): Ulid | undefined {
  return caller !== 'operator' && caller.principal.isOneProject ? caller.principal.projectId : undefined;
}

/** Returns whether a caller has access to a project of its account. */
export function sees(caller: Caller | 'operator', projectId: Ulid): boolean {
  return caller === 'operator' || seesProject(caller.principal, projectId);
}

/** Returns whether a token has access to a project of its account. */
export function seesProject(principal: Principal, projectId: Ulid): boolean {
  return !principal.isOneProject || principal.projectId === projectId;
}
