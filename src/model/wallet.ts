import type { Address } from './address.ts';
import type { Network } from './network.ts';
import type { ResourceName } from './resource-name.ts';

/** A wallet, bound to a blockchain network. Its password never leaves the storage. */
export type Wallet = {
  /** The same as `name`, for those who go by it as by any object's identifier. */
  readonly id: ResourceName<'wallets'>;
  readonly name: ResourceName<'wallets'>;
  readonly title: string;
  readonly description: string;
  readonly project: ResourceName<'projects'>;
  readonly network: Network;
  readonly address: Address;
  /** Unix time in milliseconds. */
  readonly createTimeMs: number;
  /** Unix time in milliseconds. */
  readonly updateTimeMs: number;
};
