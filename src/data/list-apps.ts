import type { App } from '../model/app.ts';
import { parseFields, resourceNameValidator } from '../model/fields.ts';
import type { Ulid } from '../model/resource-name.ts';
import { listApps as listAppRows } from '../storage/apps.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { appFromRow } from './from-row.ts';
import { requireAccount } from './require-account.ts';

const VALIDATORS = { account: resourceNameValidator('accounts') };

const BATCH_SIZE = 1000;

/**
 * Returns all apps of an account, in the order of their names.
 *
 * @param input `account`
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function listApps({ database }: AdminContext, input: UntrustedInput): Promise<readonly App[]> {
  const { account } = parseFields(input, VALIDATORS);
  const { id: accountId } = await requireAccount(database, account);

  const apps: App[] = [];
  let after: Ulid | '' = '';
  for (;;) {
    const rows = await listAppRows(database, accountId, after, BATCH_SIZE);
    apps.push(...rows.map((row) => appFromRow(row)));
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH_SIZE) return apps;
    after = last.id;
  }
}
