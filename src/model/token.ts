import type { ResourceName, Ulid } from './resource-name.ts';

/** The public data of a bearer token. */
export type Token = {
  readonly id: Ulid;
  readonly level: 'account' | 'project';
  readonly account: ResourceName<'accounts'>;
  /** The project of a project token, or the default project of new apps of an account token. */
  readonly project: ResourceName<'projects'>;
  readonly app: ResourceName<'apps'> | undefined;
  readonly title: string;
  readonly readOnly: boolean;
  readonly onlyProject: boolean;
  readonly createTimeMs: number;
  readonly expireTimeMs: number;
  /** Unix time in milliseconds, up to an hour too early; undefined before the first use. */
  readonly lastUseTimeMs: number | undefined;
};
