import { idOf, type ResourceName } from './resource-name.ts';

/** A project, which contains apps and wallets. */
export type Project = {
  /** Equal to `name`. The GraphQL interface `Node` requires it. */
  readonly id: ResourceName<'projects'>;
  readonly name: ResourceName<'projects'>;
  readonly title: string;
  readonly description: string;
  readonly imageCoverUrl: string;
  readonly imageCoverCid: string;
  /** Like a wallet's. */
  readonly reference: string | null;
  readonly createTimeMs: number;
};

export function coverImagePath(project: ResourceName<'projects'>): string {
  return `/covers/${idOf(project)}.svg`;
}

/** The number of projects up to which clients can create them. */
export const MAX_PROJECTS = 100_000;

/** Returns the fields of a project that the specification defines. */
export function projectView({ name, title, description, imageCoverUrl, imageCoverCid }: Project) {
  return { name, title, description, imageCoverUrl, imageCoverCid };
}
