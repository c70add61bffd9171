import { idOf, type ResourceName } from './resource-name.ts';

/** A project: the scope that apps and wallets belong to. */
export type Project = {
  /** The same as `name`, for those who go by it as by any object's identifier. */
  readonly id: ResourceName<'projects'>;
  readonly name: ResourceName<'projects'>;
  readonly title: string;
  readonly description: string;
  /** Where the cover image is served. */
  readonly imageCoverUrl: string;
  /** The CIDv1 of the cover image's bytes. */
  readonly imageCoverCid: string;
  /** Unix time in milliseconds. */
  readonly createTimeMs: number;
};

/** The path that the cover image of a project is served at. */
export function coverImagePath(project: ResourceName<'projects'>): string {
  return `/covers/${idOf(project)}.svg`;
}
