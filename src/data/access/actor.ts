import { ApiError, projectNotVisible, unusableResource } from '../../model/errors.ts';
import { type AccountPrincipal, onlyProjectOf, type Principal } from '../../model/principal.ts';
import { idOf, type ResourceName, type Ulid } from '../../model/resource-name.ts';
import { findApps } from '../../storage/apps.ts';
import type { Queryable } from '../../storage/port/database.ts';
import type { Client } from '../data-layer.ts';

export type ClientActor = { readonly principal: Principal; readonly client: Client };

/** Who calls an operation: a client, or the operator with a command. */
export type Actor = ClientActor | 'operator';

export type Reader = { readonly principal: Principal } | 'operator';

/**
 * An operation for which not every token suffices begins with this, or with `requireWholeAccount`.
 * @throws PERMISSION_DENIED if the actor is a client with a project token
 */
export function requireAccountToken<A extends Reader>(
  actor: A,
): asserts actor is Extract<A, 'operator'> | (A & { readonly principal: AccountPrincipal }) {
  if (actor !== 'operator' && actor.principal.level !== 'account') {
    throw new ApiError('ACCOUNT_TOKEN_REQUIRED');
  }
}

/** @throws PERMISSION_DENIED if the actor is a client whose token does not see its whole account */
export function requireWholeAccount(actor: Reader): void {
  requireAccountToken(actor);
  if (projectOf(actor) !== undefined) throw new ApiError('WHOLE_ACCOUNT_REQUIRED');
}

/** Returns the project to which the token of an actor is restricted; undefined if to none. */
export function projectOf(actor: Reader): Ulid | undefined {
  return actor === 'operator' ? undefined : onlyProjectOf(actor.principal);
}

/** @throws the error of `missing` if the token of the actor is restricted to a project without this app */
export async function assertAppVisible(
  database: Queryable,
  actor: Actor,
  accountId: Ulid,
  name: ResourceName<'apps'>,
): Promise<void> {
  const only = projectOf(actor);
  if (only === undefined) return;
  const [app] = await findApps(database, accountId, [idOf(name)]);
  if (app?.project_id !== only) throw missing(actor, name);
}

/** Returns the ids of projects, with an empty string for each that is not visible to the principal. */
export function visibleIds(
  principal: Principal,
  projects: readonly ResourceName<'projects'>[],
): readonly (Ulid | '')[] {
  const only = projectOf({ principal });
  return projects.map(idOf).map((id) => (id === (only ?? id) ? id : ''));
}

/** Returns the error for a resource that does not exist, or is not visible to the actor. */
export function missing(actor: Actor, name: ResourceName): ApiError {
  if (actor !== 'operator') return new ApiError('RESOURCE_NOT_FOUND');
  const kind = name.slice(0, name.indexOf('/') - 1);
  return unusableResource('name', `Must be an existing ${kind}.`);
}

/** Returns the error for a project that does not exist, or that the actor can't use for a resource. */
export function missingProject(actor: Actor): ApiError {
  if (actor !== 'operator') return projectNotVisible();
  return unusableResource('project', 'Must be a project of the same account.');
}
