/** The blockchain networks of a wallet. */
export const NETWORKS = [
  'NETWORK_ETHEREUM',
  'NETWORK_ETHEREUM_RINKEBY',
  'NETWORK_POLYGON',
  'NETWORK_POLYGON_MUMBAI',
] as const;

/** A blockchain network, in its one spelling. */
export type Network = (typeof NETWORKS)[number];

// The interface has been published with this spelling as well.
const MISSPELT = 'NETWORK_ETHEREUM_RINKERBY';

/** The networks in every spelling that is accepted. */
export const ACCEPTED_NETWORKS: readonly string[] = [...NETWORKS, MISSPELT];

/** Takes a network in any accepted spelling and returns it in its own, or undefined if unknown. */
export function parseNetwork(text: string): Network | undefined {
  if (text === MISSPELT) return 'NETWORK_ETHEREUM_RINKEBY';
  return NETWORKS.find((network) => network === text);
}
