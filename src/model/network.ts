export const NETWORKS = [
  'NETWORK_ETHEREUM',
  'NETWORK_ETHEREUM_RINKEBY',
  'NETWORK_POLYGON',
  'NETWORK_POLYGON_MUMBAI',
] as const;

export type Network = (typeof NETWORKS)[number];

// The specification of the API contains this spelling, too.
const MISSPELLED_RINKEBY = 'NETWORK_ETHEREUM_RINKERBY';

/** Returns the network of an accepted spelling, or undefined if the text is not one. */
export function parseNetwork(text: string): Network | undefined {
  if (text === MISSPELLED_RINKEBY) return 'NETWORK_ETHEREUM_RINKEBY';
  return NETWORKS.find((network) => network === text);
}
