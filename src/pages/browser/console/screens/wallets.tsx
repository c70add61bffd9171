import { useState } from 'preact/hooks';
import { ShellLine } from '../clipboard.tsx';
import { Filter } from '../find.tsx';
import {
  type WalletRowFragment as Wallet,
  WalletsAtAddressDocument,
  WalletsDocument,
} from '../generated-documents.ts';
import { type List, More, Size, useList } from '../list.tsx';
import { Resource, Short } from '../name.tsx';
import { NetworkTitle } from '../networks.tsx';
import { route } from '../router.ts';
import { Screen } from '../screen.tsx';
import { useViewer } from '../session.ts';
import { useStore } from '../store.ts';
import { type Column, Table } from '../table.tsx';
import { Time } from '../time.tsx';
import { EditWallet } from './edit-wallet.tsx';

const COLUMNS: readonly Column<Wallet>[] = [
  { title: 'Wallet', cell: (wallet) => <Resource {...wallet} /> },
  { title: 'Network', cell: ({ network }) => <NetworkTitle network={network} /> },
  { title: 'Name', cell: ({ name, title }) => <Short text={name} label={`name of ${title}`} /> },
  { title: 'Updated', cell: ({ updateTime }) => <Time value={updateTime} /> },
];

const ADDRESS: Column<Wallet> = {
  title: 'Address',
  cell: ({ address, title }) => <Short text={address} label={`address of ${title}`} />,
};

const PROJECT: Column<Wallet> = { title: 'Project', cell: ({ project }) => <Resource {...project} /> };

/** The wallets of a project. */
export function Wallets({ project }: { project: string }) {
  const title = useStore(route).query.get('title');
  const variables = { project, ...(title && { title }) };
  const list = useList(WalletsDocument, variables, ({ node }) => node?.wallets);
  return (
    <>
      <div class="heading">
        <Size list={list} noun="wallet" />
        <Filter label="Find by title" />
      </div>
      <WalletTable list={list} project={project} />
      {list.totalCount === 0 && title && <p class="empty">No wallet’s title begins with “{title}”.</p>}
      {list.totalCount === 0 && !title && (
        <div class="empty">
          <p>The project has no wallets. On the host of the gateway, this registers one:</p>
          <ShellLine
            text={`paw wallet create --project ${project} --title "First wallet" --network NETWORK_ETHEREUM --address 0x…`}
          />
        </div>
      )}
    </>
  );
}

/** The wallets of all projects that have an address. */
export function WalletsAtAddress({ address }: { address: string }) {
  const list = useList(WalletsAtAddressDocument, { address }, ({ wallets }) => wallets);
  return (
    <Screen title="Wallets at an address">
      <p>
        <code>{address}</code>
      </p>
      <Size list={list} noun="wallet" />
      <WalletTable list={list} />
      {list.totalCount === 0 && <p class="empty">No wallet that the token sees has this address.</p>}
    </Screen>
  );
}

/** @param project the one that the wallets are in, if it is the same */
function WalletTable({ list, project }: { list: List<Wallet>; project?: string }) {
  const { readOnly } = useViewer();
  const [selected, setSelected] = useState<Wallet>();
  const [done, setDone] = useState('');
  const onUpdated = (wallet: Wallet) => {
    const isHere = project === undefined || wallet.project.name === project;
    list.change((nodes) =>
      nodes.flatMap((node) => (node.name !== wallet.name ? node : isHere ? wallet : [])),
    );
    setDone(`Saved “${wallet.title}”${isHere ? '' : `, which is now in “${wallet.project.title}”`}.`);
    setSelected(undefined);
  };
  const edit: Column<Wallet> = {
    title: 'Actions',
    cell: (wallet) => (
      <button type="button" aria-label={`Edit ${wallet.title}`} onClick={() => setSelected(wallet)}>
        Edit
      </button>
    ),
  };
  const columns = [...COLUMNS.toSpliced(1, 0, project ? ADDRESS : PROJECT), ...(readOnly ? [] : [edit])];
  return (
    <>
      <p class="done" role="status">
        {done}
      </p>
      <Table label="Wallets" columns={columns} rows={list.nodes} />
      <More list={list} />
      {selected && !readOnly && (
        <EditWallet wallet={selected} onUpdated={onUpdated} onClose={() => setSelected(undefined)} />
      )}
    </>
  );
}
