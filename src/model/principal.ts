import type { Ulid } from './resource-name.ts';

/**
 * The identity that a bearer token authenticates. The scope of an account token is its
 * account; the scope of a project token, which a sign-in issues, is one project.
 */
export type Principal =
  | {
      readonly level: 'account';
      readonly accountId: Ulid;
      /** The project of a new app if the request has no `project`. */
      readonly defaultProjectId: Ulid;
    }
  | {
      readonly level: 'project';
      readonly accountId: Ulid;
      readonly projectId: Ulid;
    };
