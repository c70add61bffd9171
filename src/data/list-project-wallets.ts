import type { ConnectionArguments } from '../model/page.ts';
import type { Principal } from '../model/principal.ts';
import type { ResourceName } from '../model/resource-name.ts';
import type { Wallet } from '../model/wallet.ts';
import { WALLET_LIST, type WalletRow } from '../storage/wallets.ts';
import type { ConnectionPage } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import { walletFromRow } from './from-row.ts';
import { readProjectLists } from './read-project-lists.ts';

/** See `DataLayer.listProjectWallets`. */
export function listProjectWallets(
  dependencies: Pick<Dependencies, 'database' | 'pageTokens'>,
  principal: Principal,
  projects: readonly ResourceName<'projects'>[],
  input: ConnectionArguments,
): Promise<readonly ConnectionPage<Wallet>[]> {
  return readProjectLists(dependencies, principal, projects, input, WALLET_LIST, (row: WalletRow) =>
    walletFromRow(row),
  );
}
