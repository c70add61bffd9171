import { type Caller, onlyProjectOf, sees } from '../../model/caller.ts';
import { unusableResource } from '../../model/errors.ts';
import { parseFields, resourceNameValidator } from '../../model/fields/fields.ts';
import { idOf, type ResourceName, type Ulid } from '../../model/resource-name.ts';
import type { Queryable } from '../../storage/interface/database.ts';
import { type AccountRow, findAccount, lockAccountStatement } from '../../storage/tables/accounts.ts';
import { findAccountOfApp, findApps } from '../../storage/tables/apps.ts';
import { findAccountOfProject } from '../../storage/tables/projects.ts';
import type { UntrustedInput } from '../call/call.ts';
import { notFound } from './visibility.ts';

/**
 * Returns the account in which a caller can find a resource: the client's, or for the operator the account of the
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
 * Returns the account in which a caller can find an app.
 *
 * @throws the error of `notFound` if the caller is restricted to a project without this app
 */
export async function accountOfApp(
  database: Queryable,
  caller: Caller | 'operator',
  name: ResourceName<'apps'>,
): Promise<Ulid> {
  const accountId = await findAccountId(database, caller, name, findAccountOfApp);
  if (onlyProjectOf(caller) === undefined) return accountId;
  const [app] = await findApps(database, accountId, [idOf(name)]);
  if (app === undefined || !sees(caller, app.project_id)) throw notFound(caller, name);
  return accountId;
}

/**
 * Returns the account of an operation: the client's, or the `account` that the operator names.
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
  return requireRow(account && isWhole(account) ? account : undefined, 'account');
}

/**
 * Makes other transactions that call it for the account wait: the operator's changes of wallets and addresses, so no
 * address is both left for a wallet and has one, and creations of projects with a reference.
 *
 * @throws INVALID_ARGUMENT for the field `account` if it does not exist
 */
export async function lockAccount(transaction: Queryable, accountId: Ulid): Promise<void> {
  const { sql, params } = lockAccountStatement(accountId);
  requireRow((await transaction.read(sql, params))[0], 'account');
}

/**
 * Returns the id of the account of a project.
 *
 * @throws INVALID_ARGUMENT for the field `project` if it does not exist
 */
export async function requireAccountOfProject(
  database: Queryable,
  name: ResourceName<'projects'>,
): Promise<Ulid> {
  return requireRow(await findAccountOfProject(database, name), 'project');
}

/**
 * Returns a row that was found by the name in a field of the input.
 *
 * @throws INVALID_ARGUMENT for the field if there is no row
 */
export function requireRow<Row>(row: Row | undefined, field: 'account' | 'app' | 'project'): Row {
  if (row === undefined) throw unusableResource(field, `Must be the name of an existing ${field}.`);
  return row;
}
