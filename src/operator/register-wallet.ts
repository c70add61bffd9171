import { lockAccount, requireAccountOfProject } from '../data/access/account-of.ts';
import { rejectTakenReference } from '../data/access/visibility.ts';
import { recordAct } from '../data/audit/audit.ts';
import type { OperatorContext, UntrustedInput } from '../data/call/call.ts';
import { NEW_WALLET, newWalletRow, walletFromRow } from '../data/conversions/wallet.ts';
import { parseFields } from '../model/fields/fields.ts';
import { resourceName } from '../model/resource-name.ts';
import type { Wallet } from '../model/wallet.ts';
import { deleteAddresses } from '../storage/jobs/supplied-addresses.ts';
import { insertWallet } from '../storage/tables/wallets.ts';

/**
 * Creates a wallet with an address that the operator names. If the address was supplied for new wallets, none of them gets it.
 *
 * @throws ALREADY_EXISTS if a wallet of the account has the reference
 */
export async function registerWallet(operator: OperatorContext, input: UntrustedInput): Promise<Wallet> {
  const fields = parseFields(input, NEW_WALLET);
  const { database } = operator;

  const accountId = await requireAccountOfProject(database, fields.project);
  const row = { ...newWalletRow(operator, accountId, fields), address: fields.address };
  const name = resourceName('wallets', row.id);
  const creation = database.transaction(async (transaction) => {
    await lockAccount(transaction, accountId);
    await deleteAddresses(transaction, accountId, [row.address]);
    await insertWallet(transaction, row);
    await recordAct(transaction, operator, {
      accountId,
      action: 'wallet.create',
      resource: name,
    });
  });
  await creation.catch(rejectTakenReference);
  return walletFromRow(row);
}
