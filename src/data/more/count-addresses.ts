import type { Caller } from '../../model/caller.ts';
import { NETWORKS } from '../../model/network.ts';
import type { AddressesLeft } from '../../model/wallet.ts';
import { findAddressCounts } from '../../storage/addresses.ts';
import type { Dependencies } from '../operation/dependencies.ts';
import { operation } from '../operation/operation.ts';

/** Returns how many addresses of the account are left for new wallets, for each network. */
export const countAddresses = operation(
  { caller: 'whole account', changes: false },
  async (
    { database }: Pick<Dependencies, 'database'>,
    { principal }: Caller,
  ): Promise<readonly AddressesLeft[]> => {
    const rows = await findAddressCounts(database, principal.accountId);
    const counts = new Map(rows.map(({ network, address_count }) => [network, address_count]));
    return NETWORKS.map((network) => ({ network, count: counts.get(network) ?? 0 }));
  },
);
