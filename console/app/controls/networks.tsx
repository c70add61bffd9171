import { NETWORK_LIST } from '../../../src/model/network.ts';
import type { Network } from '../generated/documents.ts';

/** Returns the title of a network, and its mark if nothing on it has a value. */
export function networkOf(network: Network): { readonly title: string; readonly mark: string } {
  return NETWORK_LIST.find(({ name }) => name === network) ?? { title: network, mark: '' };
}

/** The options of a select. */
export function NetworkOptions() {
  return (
    <>
      {NETWORK_LIST.map(({ name, title, mark }) => (
        <option key={name} value={name}>
          {title} {mark && `(${mark.toLowerCase()})`}
        </option>
      ))}
    </>
  );
}

/** A network, with a mark if nothing on it has a value. */
export function NetworkTitle({ network }: { network: Network }) {
  const { title, mark } = networkOf(network);
  return (
    <>
      {title} {mark && <span class="mark">{mark}</span>}
    </>
  );
}
