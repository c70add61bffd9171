import { NETWORKS } from '../../model/network.ts';
import type { AddressesLeft } from '../../model/wallet.ts';
import { findAddressCounts } from '../../storage/tables/addresses.ts';
import { begin, type Call, type Rules } from '../call/call.ts';

countAddresses.rules = { caller: 'whole account', changes: false } as const satisfies Rules;

/** Returns how many addresses of the account are left for new wallets, for each network. */
export async function countAddresses(call: Call): Promise<readonly AddressesLeft[]> {
  const { database } = begin(call, countAddresses.rules);
  const { principal } = call.caller;
  const rows = await findAddressCounts(database, principal.accountId);
  const counts = new Map(rows.map(({ network, address_count }) => [network, address_count]));
  return NETWORKS.map((network) => ({ network, count: counts.get(network) ?? 0 }));
}
