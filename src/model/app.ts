import type { ResourceName } from './resource-name.ts';

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
  /** Unix time in milliseconds. */
  readonly createTimeMs: number;
};

/** Returns the fields of an app that the specification defines. */
export function appView({ name, title, privateKey, active }: App) {
  return { name, title, privateKey, active };
}
