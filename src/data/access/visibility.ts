import { type Caller, sees } from '../../model/caller.ts';
import { ApiError, alreadyExists, projectNotVisible, unusableResource } from '../../model/errors.ts';
import { idOf, type ResourceName, type Ulid } from '../../model/resource-name.ts';
import type { Queryable } from '../../storage/interface/database.ts';
import type { RowId } from '../../storage/sql/row-statements.ts';
import { isUniqueViolation } from '../../storage/work/constraint-violations.ts';

/** Returns the ids of projects, with an empty string for each that is not visible to the caller. */
export function visibleIds(
  caller: Caller,
  projects: readonly ResourceName<'projects'>[],
): readonly (Ulid | '')[] {
  return projects.map(idOf).map((id) => (sees(caller, id) ? id : ''));
}

/** Returns the error for a resource that does not exist, or is not visible to the caller. */
export function notFound(caller: Caller | 'operator', name: ResourceName): ApiError {
  if (caller !== 'operator') return new ApiError('RESOURCE_NOT_FOUND');
  const kind = name.slice(0, name.indexOf('/') - 1);
  return unusableResource('name', `Must be the name of an existing ${kind}.`);
}

/** Returns the error for a project that does not exist, or that the caller can't use for a resource. */
export function projectNotFound(caller: Caller | 'operator'): ApiError {
  if (caller !== 'operator') return projectNotVisible();
  return unusableResource('project', 'Must be a project of the same account.');
}

/** @throws ALREADY_EXISTS if another resource of the account has the new reference */
export async function assertReferenceIsFree(
  database: Queryable,
  { accountId, id }: RowId,
  reference: string,
  find: (database: Queryable, accountId: Ulid, reference: string) => Promise<{ id: Ulid } | undefined>,
): Promise<void> {
  const other = await find(database, accountId, reference);
  if (other !== undefined && other.id !== id) throw alreadyExists('reference');
}

/** @throws ALREADY_EXISTS if a change failed because another resource has its reference, and otherwise the error of the change */
export function rejectTakenReference(error: unknown): never {
  throw isUniqueViolation(error) ? alreadyExists('reference') : error;
}
