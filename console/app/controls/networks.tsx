import { NETWORK_LIST } from '../../../src/model/network.ts';
import type { Network } from '../generated/documents.ts';
import { counted } from '../texts.ts';
import type { ControlProps } from './form.tsx';

/** Returns the title of a network, and its mark if nothing on it has a value. */
export function networkOf(network: Network): { readonly title: string; readonly mark: string } {
  return NETWORK_LIST.find(({ name }) => name === network) ?? { title: network, mark: '' };
}

type NetworkSelectProps = {
  readonly control: ControlProps;
  readonly network: Network;
  readonly onChoose: (network: Network) => void;
  readonly left?: ReadonlyMap<Network, number>;
};

/** A select of a network. @param left the numbers of addresses that are left: a network with none can't be chosen */
export function NetworkSelect({ control, network, onChoose, left }: NetworkSelectProps) {
  return (
    <select
      {...control}
      value={network}
      onChange={({ currentTarget }) => onChoose(currentTarget.value as Network)}
    >
      {NETWORK_LIST.map(({ name, title, mark }) => {
        const count = left?.get(name);
        return (
          <option key={name} value={name} disabled={count === 0}>
            {title}
            {mark && ` (${mark.toLowerCase()})`}
            {count !== undefined && ` — ${count ? `${counted(count, 'addresses')} left` : 'no addresses'}`}
          </option>
        );
      })}
    </select>
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
