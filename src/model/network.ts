/**
 * The networks, in the order in which a person chooses one, each with its title, and a mark if nothing on it has a value. A network
 * is one line here. The contracts and the documentation, which list them as well, are compared with it.
 */
export const NETWORK_LIST = [
  { name: 'NETWORK_ETHEREUM', title: 'Ethereum', mark: '' },
  { name: 'NETWORK_POLYGON', title: 'Polygon', mark: '' },
  { name: 'NETWORK_ETHEREUM_SEPOLIA', title: 'Ethereum Sepolia', mark: 'Testnet' },
  { name: 'NETWORK_POLYGON_AMOY', title: 'Polygon Amoy', mark: 'Testnet' },
  { name: 'NETWORK_ETHEREUM_RINKEBY', title: 'Ethereum Rinkeby', mark: 'Shut down' },
  { name: 'NETWORK_POLYGON_MUMBAI', title: 'Polygon Mumbai', mark: 'Shut down' },
] as const;

export type Network = (typeof NETWORK_LIST)[number]['name'];

export const NETWORKS: readonly Network[] = NETWORK_LIST.map(({ name }) => name);

// The specification of the API contains this spelling, too.
const MISSPELLED_RINKEBY = 'NETWORK_ETHEREUM_RINKERBY';

/** Returns the network of an accepted spelling, or undefined if the text is not one. */
export function parseNetwork(text: string): Network | undefined {
  if (text === MISSPELLED_RINKEBY) return 'NETWORK_ETHEREUM_RINKEBY';
  return NETWORKS.find((network) => network === text);
}
