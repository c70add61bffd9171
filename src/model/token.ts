import type { Scope } from './principal.ts';
import type { ResourceName, Ulid } from './resource-name.ts';

/** The public data of a bearer token. */
export type Token = {
  readonly id: Ulid;
  readonly level: Scope['level'];
  readonly account: ResourceName<'accounts'>;
  /** The project of a project token, or the default project of new apps of an account token. */
  readonly project: ResourceName<'projects'>;
  /** The app that signed in; undefined for an account token. */
  readonly app: ResourceName<'apps'> | undefined;
  /** May be empty. */
  readonly title: string;
  readonly readOnly: boolean;
  /** Whether the token sees its project alone. */
  readonly onlyProject: boolean;
  /** Unix time in milliseconds. */
  readonly createTimeMs: number;
  /** Unix time in milliseconds. */
  readonly expireTimeMs: number;
  /** Unix time in milliseconds, up to an hour too early; undefined before the first use. */
  readonly lastUseTimeMs: number | undefined;
};
