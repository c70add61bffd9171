import { requireAccount } from '../data/access/account-of.ts';
import type { OperatorContext, UntrustedInput } from '../data/call/call.ts';
import { readList } from '../data/lists/read-list.ts';
import { parseFields } from '../model/fields/fields.ts';
import type { ConnectionPage } from '../model/lists/list-page.ts';
import { ADDRESS_LIST, type AddressRow } from '../storage/tables/addresses.ts';
import { POOL_INPUT } from './supply-addresses.ts';

/** Returns one page of the addresses that are left for new wallets of an account on a network, the next one first. */
export async function listAddresses(
  { database }: OperatorContext,
  input: UntrustedInput,
): Promise<ConnectionPage<AddressRow>> {
  const { account, network } = parseFields(input, POOL_INPUT);
  const { id } = await requireAccount(database, account);
  const source = { list: ADDRESS_LIST, toItem: (row: AddressRow) => row, values: [id, network] };
  return readList(database, source, input);
}
