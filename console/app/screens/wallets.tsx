import type { ComponentProps } from 'preact';
import { useState } from 'preact/hooks';
import { ArchivedFilter, Filter } from '../controls/filter.tsx';
import { CreateButton, type List, More, Size, useList } from '../controls/list.tsx';
import { NetworkTitle } from '../controls/networks.tsx';
import { FullId, ResourceLink, ShortId } from '../controls/resource-id.tsx';
import { type Columns, Properties, Table, timeColumn } from '../controls/table.tsx';
import { Time } from '../controls/time.tsx';
import {
  FoundWalletsDocument,
  WalletDocument,
  type WalletRowFragment,
  WalletsDocument,
} from '../generated/documents.ts';
import { useObservable } from '../observable.ts';
import { nodeOf, useQuery } from '../query.ts';
import { route } from '../router.ts';
import { notify, Screen } from '../screen.tsx';
import { useViewer } from '../session.ts';
import { quoted, TEXTS } from '../texts.ts';
import { CreateWallet } from './create-wallet.tsx';
import { ArchiveWallet, EditWallet } from './edit-wallet.tsx';
import { ResourceScreen } from './resource.tsx';

const DIALOGS = { edit: EditWallet, archive: ArchiveWallet };

const ARCHIVED = <span class="mark">Archived</span>;

const COLUMNS: Columns<WalletRowFragment> = [
  {
    title: 'Wallet',
    cell: (wallet) => (
      <>
        <ResourceLink {...wallet} /> {wallet.archiveTime && ARCHIVED}
      </>
    ),
  },
  { title: 'Project', rank: 2, cell: ({ project }) => <ResourceLink {...project} /> },
  {
    title: 'Network',
    rank: 2,
    isSecondLine: true,
    cell: ({ network }) => <NetworkTitle network={network} />,
  },
  {
    title: 'Address',
    cell: ({ address }) => <ShortId text={address} label="address" />,
    whole: ({ address }) => <FullId text={address} label="address" />,
  },
  timeColumn('Updated', ({ updateTime }) => updateTime, 3),
  timeColumn('Created', ({ createTime }) => createTime, 3),
  { title: 'ID', rank: 4, cell: ({ name }) => <FullId text={name} /> },
];

/** The wallets of a project. */
export function Wallets(target: Pick<ComponentProps<typeof CreateWallet>, 'project' | 'left'>) {
  const { project } = target;
  const { query } = useObservable(route);
  const title = query.get('title');
  const archived = query.has('archived');
  const variables = { project, ...(title && { title }), ...(archived && { archived }) };
  const list = useList(WalletsDocument, variables, ({ node }) => node?.wallets);
  const { readOnly } = useViewer();
  return (
    <>
      <div class="tools">
        <Filter />
        <ArchivedFilter />
        <Size list={list} noun="wallets" />
        {!readOnly && (
          <CreateButton
            list={list}
            text="Create wallet"
            draw={(props) => <CreateWallet {...target} {...props} />}
          />
        )}
      </div>
      <WalletTable list={list} project={project} same="Project" />
      {list.totalCount === 0 && title && <p class="muted">No wallet titles start with {quoted(title)}.</p>}
      {list.totalCount === 0 && !title && (
        <p class="muted">The project has no {archived && 'archived '}wallets.</p>
      )}
    </>
  );
}

/** The wallets of all projects that have an address, or whose titles start with a text. */
export function FoundWallets({ query }: { query: URLSearchParams }) {
  const title = query.get('title');
  const address = query.get('address') ?? '';
  const found = title ? { title, ...(query.has('archived') && { archived: true }) } : { address };
  const list = useList(FoundWalletsDocument, found, ({ wallets }) => wallets);
  return (
    <Screen title={title ? 'Wallets by title' : 'Wallets at an address'}>
      {title ? (
        <>
          <p>Their titles begin with {quoted(title)}.</p>
          <ArchivedFilter />
        </>
      ) : (
        <Properties of={{ Address: <FullId text={address} label="address" /> }} />
      )}
      <div class="tools">
        <Size list={list} noun="wallets" />
      </div>
      <WalletTable list={list} same={title ? undefined : 'Address'} />
      {list.totalCount === 0 && <p class="muted">No wallets found.</p>}
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
    notify(
      `Saved ${quoted(wallet.title)}${isHere ? '' : `, which is now in ${quoted(wallet.project.title)}`}.`,
    );
  };
  const [first, ...others] = COLUMNS;
  const hasArchived = list.nodes.some(({ archiveTime }) => archiveTime);
  return (
    <>
      <Table
        label="Wallets"
        columns={[first, ...others.filter(({ title }) => title !== same)]}
        rows={list.nodes}
        nameOf={({ title }) => title}
        action={!readOnly && !hasArchived && { text: 'Edit', onClick: setSelected }}
      />
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
  const [opened, setOpened] = useState<keyof typeof DIALOGS>();
  const onUpdated = ({ title, archiveTime }: WalletRowFragment) => {
    const done = opened === 'edit' ? 'Saved' : archiveTime ? 'Archived' : 'Unarchived';
    notify(`${done} ${quoted(title)}.`);
  };
  const Opened = opened && DIALOGS[opened];
  return (
    <ResourceScreen
      kind="Wallet"
      query={query}
      resource={wallet}
      project={wallet?.project}
      description={wallet?.description}
      actions={{
        primary: 'Edit wallet',
        of: readOnly
          ? {}
          : {
              [wallet?.archiveTime ? TEXTS.unarchive : 'Archive']: () => setOpened('archive'),
              ...(!wallet?.archiveTime && { 'Edit wallet': () => setOpened('edit') }),
            },
      }}
      properties={
        wallet && {
          Address: <FullId text={wallet.address} label="address" />,
          Network: <NetworkTitle network={wallet.network} />,
          Project: <ResourceLink {...wallet.project} />,
          ...(wallet.reference && { Reference: <FullId text={wallet.reference} label="reference" /> }),
          ...(wallet.archiveTime && {
            State: [ARCHIVED, ' ', <Time key="time" value={wallet.archiveTime} isExact />],
          }),
          Updated: <Time value={wallet.updateTime} isExact />,
          Created: <Time value={wallet.createTime} isExact />,
          ID: <FullId text={name} />,
        }
      }
    >
      {wallet && Opened && !readOnly && (
        <Opened wallet={wallet} onUpdated={onUpdated} onClose={() => setOpened(undefined)} />
      )}
    </ResourceScreen>
  );
}
