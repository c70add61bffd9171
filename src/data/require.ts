import { unusableResource } from '../model/api-error.ts';
import { idOf, type ResourceName, type Ulid } from '../model/resource-name.ts';
import { type AccountRow, findAccount } from '../storage/accounts.ts';
import type { Queryable } from '../storage/database.ts';
import { findAccountOfProject } from '../storage/projects.ts';

/**
 * Returns the account with this name.
 * @throws INVALID_ARGUMENT for the field `account` if it does not exist or is being deleted
 */
export async function requireAccount(
  database: Queryable,
  name: ResourceName<'accounts'>,
): Promise<AccountRow> {
  const account = await findAccount(database, idOf(name));
  return requireRow(account?.state === 'DELETING' ? undefined : account, 'account', 'account');
}

/**
 * Returns the id of the account of a project.
 *
 * @param field the field that has the name of the project
 * @throws INVALID_ARGUMENT for this field if the project does not exist
 */
export async function requireAccountOfProject(
  database: Queryable,
  field: string,
  name: ResourceName<'projects'>,
): Promise<Ulid> {
  return requireRow(await findAccountOfProject(database, name), field, 'project');
}

/**
 * Returns a row that was found by the name in a field of the input.
 *
 * @param row the row, or undefined if there is none
 * @param kind the kind of the row, such as `app`
 * @throws INVALID_ARGUMENT for the field if there is no row
 */
export function requireRow<Row>(row: Row | undefined, field: string, kind: string): Row {
  if (row === undefined) throw unusableResource(field, `Must be an existing ${kind}.`);
  return row;
}
