import { parseFields, resourceNameValidator } from '../model/fields.ts';
import type { Wallet } from '../model/wallet.ts';
import { deleteWallet as deleteWalletRow } from '../storage/wallets.ts';
import { changeResource } from './change-resource.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { walletFromRow } from './from-row.ts';

const VALIDATORS = { name: resourceNameValidator('wallets') };

/**
 * Deletes a wallet. Returns its last state.
 *
 * @param input `name` of the wallet
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function deleteWallet(admin: AdminContext, input: UntrustedInput): Promise<Wallet> {
  const { name } = parseFields(input, VALIDATORS);
  const act = { action: 'wallet.delete', resource: name } as const;
  return walletFromRow(await changeResource(admin, act, (transaction) => deleteWalletRow(transaction, name)));
}
