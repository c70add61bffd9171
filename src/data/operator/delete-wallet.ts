import { parseFields, resourceNameValidator } from '../../model/fields/fields.ts';
import type { Wallet } from '../../model/wallet.ts';
import { deleteWalletRow } from '../../storage/wallets.ts';
import type { OperatorContext } from '../operation/dependencies.ts';
import type { UntrustedInput } from '../operation/rules.ts';
import { walletFromRow } from '../rows/wallet.ts';
import { changeResource } from './change-resource.ts';

export async function deleteWallet(admin: OperatorContext, input: UntrustedInput): Promise<Wallet> {
  const { name } = parseFields(input, { name: resourceNameValidator('wallets') });
  const act = { action: 'wallet.delete', resource: name } as const;
  return walletFromRow(await changeResource(admin, act, (transaction) => deleteWalletRow(transaction, name)));
}
