import type { ResourceName } from './resource-name.ts';

/** The public data of a private key of an app. */
export type AppKey = {
  readonly id: string;
  readonly createTimeMs: number;
  /** The end of the previous key; undefined for the current one: Unix time in milliseconds. */
  readonly expireTimeMs: number | undefined;
};

/** An app: a credential of one project. */
export type App = {
  /** Equal to `name`. The GraphQL interface `Node` requires it. */
  readonly id: ResourceName<'apps'>;
  readonly name: ResourceName<'apps'>;
  readonly title: string;
  /** The private key in the responses of `createApp` and `rotateAppKey`, otherwise an empty string. */
  readonly privateKey: string;
  readonly active: boolean;
  readonly project: ResourceName<'projects'>;
  /** The time of the last sign-in, up to an hour too early; undefined before the first: Unix time in milliseconds. */
  readonly lastSignInTimeMs: number | undefined;
  /** The valid keys: the current one, and the one before it within its grace period. */
  readonly keys: readonly AppKey[];
  readonly createTimeMs: number;
  /** Changes with each update and each rotation of the key, not with a sign-in. */
  readonly etag: string;
};

/** The maximum number of apps of an account. */
export const MAX_APPS = 100_000;

/** Returns the fields of an app that the specification defines. */
export function appView({ name, title, privateKey, active }: App) {
  return { name, title, privateKey, active };
}
