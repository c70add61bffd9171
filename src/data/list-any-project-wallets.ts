import { parseFields, resourceNameValidator } from '../model/fields.ts';
import { idOf } from '../model/resource-name.ts';
import type { Wallet } from '../model/wallet.ts';
import { listOf } from '../storage/list.ts';
import { WALLET_LIST, type WalletRow } from '../storage/wallets.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { walletFromRow } from './from-row.ts';
import { type ListPage, readListPage } from './read-list-page.ts';
import { requireAccountOfProject } from './require-account.ts';

const VALIDATORS = { project: resourceNameValidator('projects') };

/**
 * Returns one page of the wallets of a project of any account, in the order of their names.
 *
 * @param input `project`, `page-size` and `page-token`
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function listAnyProjectWallets(
  { database }: AdminContext,
  input: UntrustedInput,
): Promise<ListPage<Wallet>> {
  const { project } = parseFields(input, VALIDATORS);
  const account_id = await requireAccountOfProject(database, 'project', project);
  const scope = { account_id, project_id: idOf(project) };
  return readListPage(database, input, listOf<WalletRow>(database, WALLET_LIST, scope), walletFromRow);
}
