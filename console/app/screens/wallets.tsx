import { useState } from 'preact/hooks';
import { Copy } from '../controls/clipboard.tsx';
import { Filter } from '../controls/find.tsx';
import { type List, More, Size, useList } from '../controls/list.tsx';
import { Resource, Short } from '../controls/name.tsx';
import { NetworkTitle } from '../controls/networks.tsx';
import { Action, type Column, Table } from '../controls/table.tsx';
import { Time } from '../controls/time.tsx';
import {
  FoundWalletsDocument,
  WalletDocument,
  type WalletRowFragment,
  WalletsDocument,
} from '../generated/documents.ts';
import { nodeOf, useQuery } from '../query.ts';
import { route } from '../router.ts';
import { Actions, notify, Screen } from '../screen.tsx';
import { useViewer } from '../session.ts';
import { useStore } from '../store.ts';
import { CreateWallet } from './create-wallet.tsx';
import { EditWallet } from './edit-wallet.tsx';
import { ResourceScreen } from './resource.tsx';

const COLUMNS: readonly Column<WalletRowFragment>[] = [
  { title: 'Wallet', cell: (wallet) => <Resource {...wallet} /> },
  { title: 'Address', cell: ({ address, title }) => <Short text={address} label={`address of ${title}`} /> },
  { title: 'Project', cell: ({ project }) => <Resource {...project} /> },
  { title: 'Network', cell: ({ network }) => <NetworkTitle network={network} /> },
  { title: 'Name', cell: ({ name, title }) => <Short text={name} label={`name of ${title}`} /> },
  { title: 'Updated', cell: ({ updateTime }) => <Time value={updateTime} /> },
];

/** The wallets of a project. */
export function Wallets({ project }: { project: string }) {
  const title = useStore(route).query.get('title');
  const variables = { project, ...(title && { title }) };
  const list = useList(WalletsDocument, variables, ({ node }) => node?.wallets);
  const { readOnly } = useViewer();
  const [isCreating, setIsCreating] = useState(false);
  const onCreated = (title: string) => {
    list.reload();
    notify(`Created “${title}”.`);
    setIsCreating(false);
  };
  return (
    <>
      <div class="heading">
        <Size list={list} noun="wallets" />
        <Filter />
        {!readOnly && <Actions of={{ 'Create wallet': () => setIsCreating(true) }} />}
      </div>
      <WalletTable list={list} project={project} same="Project" />
      {list.totalCount === 0 && title && <p class="muted">No wallet’s title begins with “{title}”.</p>}
      {list.totalCount === 0 && !title && <p class="muted">The project has no wallets.</p>}
      {isCreating && !readOnly && (
        <CreateWallet project={project} onCreated={onCreated} onClose={() => setIsCreating(false)} />
      )}
    </>
  );
}

/** The wallets of all projects that have an address, or whose titles have a beginning. */
export function FoundWallets({ query }: { query: URLSearchParams }) {
  const title = query.get('title');
  const address = query.get('address') ?? '';
  const list = useList(FoundWalletsDocument, title ? { title } : { address }, ({ wallets }) => wallets);
  return (
    <Screen title={title ? 'Wallets by title' : 'Wallets at an address'}>
      <p>{title ? `Their titles begin with “${title}”.` : <code>{address}</code>}</p>
      <Size list={list} noun="wallets" />
      <WalletTable list={list} same={title ? undefined : 'Address'} />
      {list.totalCount === 0 && <p class="muted">There is no such wallet that the token sees.</p>}
    </Screen>
  );
}

type WalletTableProps = {
  readonly list: List<WalletRowFragment>;
  /** The one that the wallets are in, if it is the same. */
  readonly project?: string;
  /** The column that is the same in all rows, which is above the table. */
  readonly same: 'Project' | 'Address' | undefined;
};

function WalletTable({ list, project, same }: WalletTableProps) {
  const { readOnly } = useViewer();
  const [selected, setSelected] = useState<WalletRowFragment>();
  const onUpdated = (wallet: WalletRowFragment) => {
    const isHere = project === undefined || wallet.project.name === project;
    list.change((nodes) =>
      nodes.flatMap((node) => (node.name !== wallet.name ? node : isHere ? wallet : [])),
    );
    notify(`Saved “${wallet.title}”${isHere ? '' : `, which is now in “${wallet.project.title}”`}.`);
  };
  const edit: Column<WalletRowFragment> = {
    title: 'Actions',
    cell: (wallet) => <Action text="Edit" of={wallet.title} onClick={() => setSelected(wallet)} />,
  };
  const columns = [...COLUMNS.filter(({ title }) => title !== same), ...(readOnly ? [] : [edit])];
  return (
    <>
      <Table label="Wallets" columns={columns} rows={list.nodes} />
      <More list={list} />
      {selected && !readOnly && (
        <EditWallet wallet={selected} onUpdated={onUpdated} onClose={() => setSelected(undefined)} />
      )}
    </>
  );
}

/** A wallet and its history. @param name its resource name */
export function Wallet({ name }: { name: string }) {
  const query = useQuery(WalletDocument, { name });
  const wallet = nodeOf(query.data);
  const { readOnly } = useViewer();
  const [isEditing, setIsEditing] = useState(false);
  const onUpdated = ({ title }: WalletRowFragment) => {
    notify(`Saved “${title}”.`);
    query.reload();
  };
  return (
    <ResourceScreen
      kind="Wallet"
      query={query}
      resource={wallet}
      actions={readOnly ? {} : { 'Edit wallet': () => setIsEditing(true) }}
      properties={
        wallet && {
          Description: wallet.description || '–',
          Project: <Resource {...wallet.project} />,
          Network: <NetworkTitle network={wallet.network} />,
          Address: (
            <>
              <code>{wallet.address}</code> <Copy text={wallet.address} label="address" />
            </>
          ),
          Name: <Short text={name} label="name of the wallet" />,
          Created: <Time value={wallet.createTime} />,
          Updated: <Time value={wallet.updateTime} />,
        }
      }
    >
      {wallet && isEditing && !readOnly && (
        <EditWallet wallet={wallet} onUpdated={onUpdated} onClose={() => setIsEditing(false)} />
      )}
    </ResourceScreen>
  );
}
