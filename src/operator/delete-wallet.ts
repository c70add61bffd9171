import type { OperatorContext, UntrustedInput } from '../data/call/call.ts';
import { walletFromRow } from '../data/conversions/wallet.ts';
import { parseFields, resourceNameValidator } from '../model/fields/fields.ts';
import type { Wallet } from '../model/wallet.ts';
import { deleteWalletRow } from '../storage/tables/wallets.ts';
import { changeResource } from './change-resource.ts';

export async function deleteWallet(operator: OperatorContext, input: UntrustedInput): Promise<Wallet> {
  const { name } = parseFields(input, { name: resourceNameValidator('wallets') });
  const act = { action: 'wallet.delete', resource: name } as const;
  return walletFromRow(
    await changeResource(operator, act, (transaction) => deleteWalletRow(transaction, name)),
  );
}
