import type { Ulid } from './resource-name.ts';

/**
 * Whom a bearer token speaks for. An account token reaches everything of its
 * account; a project token, which an app signed in for, its one project.
 */
export type Principal =
  | {
      readonly level: 'account';
      readonly accountId: Ulid;
      /** The project of new apps that name none. */
      readonly defaultProjectId: Ulid;
    }
  | {
      readonly level: 'project';
      readonly accountId: Ulid;
      readonly projectId: Ulid;
    };
