import type { Network } from '../generated/documents.ts';

/** The networks, in the order in which they are offered. */
export const NETWORKS: Partial<Record<Network, { readonly title: string; readonly isTestnet: boolean }>> = {
  NETWORK_ETHEREUM: { title: 'Ethereum', isTestnet: false },
  NETWORK_POLYGON: { title: 'Polygon', isTestnet: false },
  NETWORK_ETHEREUM_RINKEBY: { title: 'Ethereum Rinkeby', isTestnet: true },
  NETWORK_POLYGON_MUMBAI: { title: 'Polygon Mumbai', isTestnet: true },
};

/** The options of a select. */
export function NetworkOptions() {
  return (
    <>
      {Object.entries(NETWORKS).map(([name, { title, isTestnet }]) => (
        <option key={name} value={name}>
          {title} {isTestnet && '(testnet)'}
        </option>
      ))}
    </>
  );
}

/** A network, with a mark if nothing on it has a value. */
export function NetworkTitle({ network }: { network: Network }) {
  const { title, isTestnet } = NETWORKS[network] ?? { title: network, isTestnet: false };
  return (
    <>
      {title} {isTestnet && <span class="mark">Testnet</span>}
    </>
  );
}
