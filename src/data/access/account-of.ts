import type { Caller } from '../../model/caller.ts';
import { unusableResource } from '../../model/errors.ts';
import { parseFields, resourceNameValidator } from '../../model/fields/fields.ts';
import { idOf, type ResourceName, type Ulid } from '../../model/resource-name.ts';
import type { Queryable } from '../../storage/interface/database.ts';
import { type AccountRow, findAccount, lockAccountStatement } from '../../storage/tables/accounts.ts';
import { findAccountOfProject } from '../../storage/tables/projects.ts';
import type { UntrustedInput } from '../call/rules.ts';
import { notFound } from './visibility.ts';

/**
 * Returns the account in which a caller can find a resource: that of the client, or for the operator that of the
 * resource.
 *
 * @param find finds the account of the resource by its name
 * @throws INVALID_ARGUMENT for the field `name` if the operator names a resource that does not exist
 */
export async function findAccountId<Name extends ResourceName>(
  database: Queryable,
  caller: Caller | 'operator',
  name: Name,
  find: (database: Queryable, name: Name) => Promise<Ulid | undefined>,
): Promise<Ulid> {
  if (caller !== 'operator') return caller.principal.accountId;
  const accountId = await find(database, name);
  if (accountId === undefined) throw notFound(caller, name);
  return accountId;
}

/**
 * Returns the account of an operation: that of the client, or the `account` that the operator names.
 *
 * @throws INVALID_ARGUMENT for the field `account` if the operator names none that exists
 */
export async function accountOfInput(
  database: Queryable,
  caller: Caller | 'operator',
  input: UntrustedInput,
): Promise<Ulid> {
  if (caller !== 'operator') return caller.principal.accountId;
  const { account } = parseFields(input, { account: resourceNameValidator('accounts') });
  return (await requireAccount(database, account)).id;
}

/** Whether an account has all its rows. */
export function isWhole({ state }: AccountRow): boolean {
  return state === 'ACTIVE' || state === 'SUSPENDED';
}

/**
 * Returns the account with this name.
 * @throws INVALID_ARGUMENT for the field `account` if it does not exist, or is being deleted or restored
 */
export async function requireAccount(
  database: Queryable,
  name: ResourceName<'accounts'>,
): Promise<AccountRow> {
  const account = await findAccount(database, idOf(name));
  return requireRow(account && isWhole(account) ? account : undefined, 'account', 'account');
}

/**
 * Lets other transactions of the operator on wallets and addresses of the account wait, so that no address is both left for a
 * wallet and has one.
 *
 * @throws INVALID_ARGUMENT for the field `account` if it does not exist
 */
export async function lockAccount(transaction: Queryable, accountId: Ulid): Promise<void> {
  const { sql, params } = lockAccountStatement(accountId);
  requireRow((await transaction.read(sql, params))[0], 'account', 'account');
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
 * @throws INVALID_ARGUMENT for the field if there is no row
 */
export function requireRow<Row>(row: Row | undefined, field: string, kind: string): Row {
  if (row === undefined) throw unusableResource(field, `Must be an existing ${kind}.`);
  return row;
}
