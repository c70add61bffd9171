import type { Ulid } from './resource-name.ts';

/**
 * The resources that a bearer token gives access to. The scope of an account token is its
 * account; the scope of a project token, which a sign-in issues, is one project.
 */
export type Scope =
  | {
      readonly level: 'account';
      readonly accountId: Ulid;
      /** The project of a new app if the request has no `project`. */
      readonly defaultProjectId: Ulid;
      /** Whether the token sees its default project alone. */
      readonly isOneProject: boolean;
      readonly isReadOnly: boolean;
    }
  | {
      readonly level: 'project';
      readonly accountId: Ulid;
      readonly projectId: Ulid;
      readonly isReadOnly: boolean;
    };

/** Returns the only project that a token sees; undefined if it sees all projects of its account. */
export function onlyProjectOf(scope: Scope): Ulid | undefined {
  if (scope.level === 'project') return scope.projectId;
  return scope.isOneProject ? scope.defaultProjectId : undefined;
}

/** The identity that a bearer token authenticates. */
export type Principal = Scope & {
  readonly tokenId: Ulid;
  /** The app that signed in; undefined for an account token. */
  readonly appId: Ulid | undefined;
};

export type AccountPrincipal = Extract<Principal, { readonly level: 'account' }>;

export type RequestOwner = Pick<Principal, 'tokenId' | 'accountId'>;
