import type { Address } from './address.ts';
import type { Network } from './network.ts';
import type { ResourceName } from './resource-name.ts';

/** A wallet on a blockchain network. It has no password field: the storage never returns a password. */
export type Wallet = {
  /** Equal to `name`. The GraphQL interface `Node` requires it. */
  readonly id: ResourceName<'wallets'>;
  readonly name: ResourceName<'wallets'>;
  readonly title: string;
  readonly description: string;
  readonly project: ResourceName<'projects'>;
  readonly network: Network;
  readonly address: Address;
  /** The name that the client gives it, unique in its account; null without one. */
  readonly reference: string | null;
  readonly createTimeMs: number;
  readonly updateTimeMs: number;
  /** Undefined unless the wallet is archived: it is in other lists, and can't be updated. */
  readonly archiveTimeMs: number | undefined;
  /** Changes with each update, including updates of the password. */
  readonly etag: string;
};

/** The number of wallets and supplied addresses of an account up to which addresses can be added. */
export const MAX_WALLETS = 1_000_000;

/** How many addresses are left for new wallets on a network. */
export type AddressesLeft = { readonly network: Network; readonly count: number };

/** Returns the fields of a wallet that the specification defines. */
export function walletView({ name, title, description, project, network, address }: Wallet) {
  return { name, title, description, project, network, address, password: '' };
}
