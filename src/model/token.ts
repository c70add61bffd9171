import type { ResourceName, Ulid } from './resource-name.ts';

/** The default lifetime of an account token, in days. */
export const DEFAULT_TOKEN_DAYS = 90;

/** The maximum number of valid tokens that one token has made. */
export const MAX_MADE_TOKENS = 1000;

/** The public data of a bearer token. */
export type Token = {
  readonly id: Ulid;
  readonly level: 'account' | 'project';
  readonly account: ResourceName<'accounts'>;
  /** The project of a project token, or the default project of new apps of an account token. */
  readonly project: ResourceName<'projects'>;
  readonly app: ResourceName<'apps'> | undefined;
  /** The account token that has made it, with which it ends; undefined if the operator or a sign-in has. */
  readonly makerTokenId: Ulid | undefined;
  readonly title: string;
  readonly readOnly: boolean;
  readonly onlyProject: boolean;
  readonly createTimeMs: number;
  readonly expireTimeMs: number;
  /** Unix time in milliseconds, up to an hour too early; undefined before the first use. */
  readonly lastUseTimeMs: number | undefined;
};
