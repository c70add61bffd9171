import type { ResourceName } from './resource-name.ts';

/** An app: a credential of one project. */
export type App = {
  /** The same as `name`, for those who go by it as by any object's identifier. */
  readonly id: ResourceName<'apps'>;
  readonly name: ResourceName<'apps'>;
  readonly title: string;
  /** Empty but in the answer to the app's creation. */
  readonly privateKey: string;
  readonly active: boolean;
  readonly project: ResourceName<'projects'>;
  /** Unix time in milliseconds. */
  readonly createTimeMs: number;
};
