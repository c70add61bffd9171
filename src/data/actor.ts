import {
  type ApiError,
  accountTokenRequired,
  projectNotVisible,
  resourceNotFound,
  unusableResource,
  wholeAccountRequired,
} from '../model/api-error.ts';
import { parseFields, resourceNameValidator } from '../model/fields.ts';
import { onlyProjectOf, type Principal } from '../model/principal.ts';
import { idOf, type ResourceName, type Ulid } from '../model/resource-name.ts';
import { findApps } from '../storage/apps.ts';
import type { Queryable } from '../storage/database.ts';
import type { Client, UntrustedInput } from './data-layer.ts';
import { requireAccount } from './require.ts';

/** Who calls an operation: a client with its token, or the operator with a command. */
export type Actor = { readonly principal: Principal; readonly client: Client } | 'operator';

/** Who reads: a client or the operator. */
export type Reader = { readonly principal: Principal } | 'operator';

/** @throws PERMISSION_DENIED if the actor is a client with a project token */
export function assertAccountLevel(actor: Reader): void {
  if (actor !== 'operator' && actor.principal.level !== 'account') throw accountTokenRequired();
}

/** @throws PERMISSION_DENIED if the actor is a client whose token does not see its whole account */
export function assertWholeAccount(actor: Reader): void {
  assertAccountLevel(actor);
  if (projectOf(actor) !== undefined) throw wholeAccountRequired();
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

/**
 * Returns the account in which an actor can find a resource: that of the client, or for the operator that of the
 * resource.
 *
 * @param find finds the account of the resource by its name
 * @throws INVALID_ARGUMENT for the field `name` if the operator names a resource that does not exist
 */
export async function accountOf<Name extends ResourceName>(
  database: Queryable,
  actor: Actor,
  name: Name,
  find: (database: Queryable, name: Name) => Promise<Ulid | undefined>,
): Promise<Ulid> {
  if (actor !== 'operator') return actor.principal.accountId;
  const accountId = await find(database, name);
  if (accountId === undefined) throw missing(actor, name);
  return accountId;
}

/**
 * Returns the account of a list: that of the client, or the `account` that the operator names.
 *
 * @throws INVALID_ARGUMENT for the field `account` if the operator names none that exists
 */
export async function accountOfList(
  database: Queryable,
  reader: Reader,
  input: UntrustedInput,
): Promise<Ulid> {
  if (reader !== 'operator') return reader.principal.accountId;
  const { account } = parseFields(input, { account: resourceNameValidator('accounts') });
  return (await requireAccount(database, account)).id;
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
  if (actor !== 'operator') return resourceNotFound();
  const kind = name.slice(0, name.indexOf('/') - 1);
  return unusableResource('name', `Must be an existing ${kind}.`);
}

/** Returns the error for a project that does not exist, or that the actor can't use for a resource. */
export function missingProject(actor: Actor): ApiError {
  if (actor !== 'operator') return projectNotVisible();
  return unusableResource('project', 'Must be a project of the same account.');
}
