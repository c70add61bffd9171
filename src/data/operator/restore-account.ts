import { parseFields, resourceNameValidator } from '../../model/fields/fields.ts';
import { idOf } from '../../model/resource-name.ts';
import { findAccount } from '../../storage/accounts.ts';
import { CopyError, copyAccount } from '../../storage/jobs/copy.ts';
import type { Queryable } from '../../storage/port/database.ts';
import type { OnProgress } from '../../storage/port/progress.ts';
import type { TableCounts } from '../../storage/sql/columns.ts';
import type { AdminContext } from '../operation/dependencies.ts';
import type { UntrustedInput } from '../operation/operation.ts';

/**
 * Gives an account back as it is in a backup, with all its rows, in one transaction. The act is not recorded: the account
 * has the audit events of the backup.
 *
 * @param backup a database with the same schema version
 * @param input the name of the `account`
 * @returns the number of rows of each table
 * @throws CopyError if the account is not in the backup, or exists, and changes nothing
 */
export async function restoreAccount(
  { database }: Pick<AdminContext, 'database'>,
  backup: Pick<Queryable, 'read'>,
  input: UntrustedInput,
  onProgress?: OnProgress,
): Promise<TableCounts> {
  const { account } = parseFields(input, { account: resourceNameValidator('accounts') });
  const row = await findAccount(backup, idOf(account));
  if (row === undefined) throw new CopyError(`The backup does not have ${account}.`);
  if (row.state === 'DELETING') throw new CopyError(`The backup has ${account} during its deletion.`);
  return copyAccount(backup, database, row.id, onProgress);
}
