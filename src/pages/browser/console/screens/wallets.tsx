import { useState } from 'preact/hooks';
import { Copy, ShellLine } from '../clipboard.tsx';
import { type WalletRowFragment as Wallet, WalletsDocument } from '../generated-documents.ts';
import { More, useList } from '../list.tsx';
import { NETWORKS } from '../networks.ts';
import { useViewer } from '../session.ts';
import { Time } from '../time.tsx';
import { EditWallet, type UpdatedWallet } from './edit-wallet.tsx';

/** The wallets of a project. */
export function Wallets({ project }: { project: string }) {
  const list = useList(WalletsDocument, { project }, ({ node }) => node?.wallets);
  const { readOnly } = useViewer();
  const [selected, setSelected] = useState<Wallet>();
  const [done, setDone] = useState('');
  const onUpdated = (wallet: UpdatedWallet) => {
    const isHere = wallet.project.name === project;
    list.change((nodes) =>
      nodes.flatMap((node) => (node.name !== wallet.name ? node : isHere ? wallet : [])),
    );
    setDone(`Saved “${wallet.title}”${isHere ? '' : `, which is now in “${wallet.project.title}”`}.`);
    setSelected(undefined);
  };
  return (
    <section aria-labelledby="wallets">
      <h2 id="wallets">
        Wallets <span class="muted">{list.totalCount}</span>
      </h2>
      <p class="done" role="status">
        {done}
      </p>
      <ul class="rows">
        {list.nodes.map((wallet) => (
          <WalletRow key={wallet.name} wallet={wallet} onEdit={readOnly ? undefined : setSelected} />
        ))}
      </ul>
      {list.totalCount === 0 && (
        <div class="empty">
          <p>The project has no wallets. On the host of the gateway, this registers one:</p>
          <ShellLine
            text={`paw wallet create --project ${project} --title "First wallet" --network NETWORK_ETHEREUM --address 0x…`}
          />
        </div>
      )}
      <More list={list} />
      {selected && (
        <EditWallet
          wallet={selected}
          project={project}
          onUpdated={onUpdated}
          onClose={() => setSelected(undefined)}
        />
      )}
    </section>
  );
}

type WalletRowProps = {
  readonly wallet: Wallet;
  /** Undefined if the token may not. */
  readonly onEdit: ((wallet: Wallet) => void) | undefined;
};

function WalletRow({ wallet, onEdit }: WalletRowProps) {
  const { name, title, description, network, address, updateTime } = wallet;
  const { title: networkTitle, isTestnet } = NETWORKS[network] ?? { title: network, isTestnet: false };
  return (
    <li>
      <div class="heading">
        <h3>{title}</h3>
        {onEdit && (
          <button type="button" aria-label={`Edit ${title}`} onClick={() => onEdit(wallet)}>
            Edit
          </button>
        )}
      </div>
      {description && <p class="muted">{description}</p>}
      <dl>
        <div>
          <dt>Network</dt>
          <dd>
            {networkTitle} {isTestnet && <span class="mark">Testnet</span>}
          </dd>
        </div>
        <div>
          <dt>Address</dt>
          <dd>
            <code>{address}</code> <Copy text={address} label={`address of ${title}`} />
          </dd>
        </div>
        <div>
          <dt>Updated</dt>
          <dd>
            <Time value={updateTime} />
          </dd>
        </div>
        <div>
          <dt>Name</dt>
          <dd>
            <code>{name}</code> <Copy text={name} label={`name of ${title}`} />
          </dd>
        </div>
      </dl>
    </li>
  );
}
