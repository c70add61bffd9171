import type { Address } from '../../model/address.ts';
import { type FieldViolation, invalidFields, MAX_VIOLATIONS } from '../../model/errors.ts';
import {
  address,
  network,
  type Parsed,
  parseFields,
  resourceNameValidator,
  ValidationError,
} from '../../model/fields/fields.ts';
import { MAX_WALLETS } from '../../model/wallet.ts';
import {
  countWalletsAndAddresses,
  deleteAddressesOf,
  insertAddresses,
} from '../../storage/jobs/supplied-addresses.ts';
import { requireAccount } from '../access/account-of.ts';
import { recordAct } from '../audit/audit.ts';
import type { AdminContext } from '../operation/dependencies.ts';
import type { UntrustedInput } from '../operation/operation.ts';

/** The validators of the input of the operations on the addresses that an account has left for a network. */
export const POOL = { account: resourceNameValidator('accounts'), network };

/** What each address has to be. */
const WANTED = {
  add: 'Must be an address that neither has a wallet nor is left for one.',
  delete: 'Must be an address that is left for the network.',
};

/**
 * Adds or deletes addresses, one a line, that are left for new wallets of an account on a network, in one transaction. Wallets
 * get them in the order of their addition. After the deletion of the last one, the metric of addresses no longer counts the account.
 *
 * @throws INVALID_ARGUMENT for each line at fault, and for the field `account` if it would have more than `MAX_WALLETS`
 *   wallets and addresses; nothing is changed
 */
export async function supplyAddresses(
  admin: AdminContext,
  change: 'add' | 'delete',
  input: UntrustedInput,
  lines: AsyncIterable<string | undefined>,
): Promise<Parsed<typeof POOL> & { readonly count: number }> {
  const { account, network } = parseFields(input, POOL);
  const byAddress = await readAddresses(lines);
  const addresses = [...byAddress.keys()];
  const count = addresses.length;
  await admin.database.transaction(async (transaction) => {
    const { id: accountId } = await requireAccount(transaction, account);
    const pool = { accountId, network };
    const changed =
      change === 'add'
        ? await insertAddresses(transaction, pool, addresses, admin.newId)
        : await deleteAddressesOf(transaction, pool, addresses);
    const wrong = [...byAddress].filter(([each]) => !changed.has(each));
    if (wrong.length > 0) {
      const description = WANTED[change];
      throw invalidFields(wrong.map(([each, line]) => ({ field: `line ${line}: ${each}`, description })));
    }
    if (change === 'add' && (await countWalletsAndAddresses(transaction, accountId)) > MAX_WALLETS) {
      const description = `Must have at most ${MAX_WALLETS} wallets and addresses that are left for more.`;
      throw invalidFields([{ field: 'account', description }]);
    }
    if (count === 0) return;
    const act = { action: `address.${change}`, resource: account, count } as const;
    await recordAct(transaction, admin, 'operator', { accountId, ...act });
  });
  return { account, network, count };
}

/** Returns the addresses in lines, each with the number of its line. Undefined is a line that is no text, or too long. */
async function readAddresses(
  lines: AsyncIterable<string | undefined>,
): Promise<ReadonlyMap<Address, number>> {
  const byAddress = new Map<Address, number>();
  const violations: FieldViolation[] = [];
  let line = 0;
  for await (const text of lines) {
    line += 1;
    if (text?.trim() === '') continue;
    try {
      const parsed = address(text?.trim());
      const other = byAddress.get(parsed);
      if (other !== undefined) throw new ValidationError(`Must not repeat line ${other}.`);
      byAddress.set(parsed, line);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      violations.push({ field: `line ${line}`, description: error.message });
    }
    if (byAddress.size > MAX_WALLETS || violations.length > MAX_VIOLATIONS) break;
  }
  if (violations.length > 0) throw invalidFields(violations);
  return byAddress;
}
