import { useState } from 'preact/hooks';
import { Filter } from '../controls/filter.tsx';
import { CreateButton, More, Size, useList } from '../controls/list.tsx';
import { FullId, ResourceLink } from '../controls/resource-id.tsx';
import { type Columns, Table, timeColumn } from '../controls/table.tsx';
import { Time } from '../controls/time.tsx';
import { AppDocument, type AppRowFragment, AppsDocument } from '../generated/documents.ts';
import { useObservable } from '../observable.ts';
import { nodeOf, useQuery } from '../query.ts';
import { linkTo, route } from '../router.ts';
import { notify } from '../screen.tsx';
import { mayChangeApps, useViewer } from '../session.ts';
import { quoted, TEXTS } from '../texts.ts';
import { CreateApp, DeleteApp, RenameApp, RotateKey, SwitchApp } from './app-dialogs.tsx';
import { ResourceScreen } from './resource.tsx';

const COLUMNS: Columns<AppRowFragment> = [
  { title: 'App', cell: (app) => <ResourceLink {...app} /> },
  { title: 'State', cell: stateOf },
  { title: 'Last sign-in', rank: 2, isSecondLine: 'Last sign-in: ', cell: lastSignInOf },
  { title: 'Keys', rank: 3, cell: ({ keys }) => keys.length },
  timeColumn('Created', ({ createTime }) => createTime, 3),
  { title: 'ID', rank: 4, cell: ({ name }) => <FullId text={name} /> },
];

const DIALOGS = { rename: RenameApp, rotate: RotateKey, switch: SwitchApp, delete: DeleteApp };

/** The apps of a project. */
export function Apps({ project }: { project: string }) {
  const title = useObservable(route).query.get('title');
  const list = useList(AppsDocument, { project, ...(title && { title }) }, ({ node }) => node?.apps);
  const mayChange = mayChangeApps(useViewer());
  return (
    <>
      <div class="tools">
        <Filter />
        <Size list={list} noun="apps" />
        {mayChange && (
          <CreateButton
            list={list}
            text="Create app"
            draw={(props) => <CreateApp project={project} {...props} />}
          />
        )}
      </div>
      <Table label="Apps" columns={COLUMNS} rows={list.nodes} nameOf={({ title }) => title} />
      {list.totalCount === 0 && title && <p class="muted">No app titles start with {quoted(title)}.</p>}
      {list.totalCount === 0 && !title && (
        <p class="muted">
          The project has no apps. A program signs in as an app, and gets a token for this project.
        </p>
      )}
      <More list={list} />
    </>
  );
}

/** An app, its keys and its history. @param name its resource name */
export function App({ name }: { name: string }) {
  const query = useQuery(AppDocument, { name });
  const app = nodeOf(query.data);
  const mayChange = mayChangeApps(useViewer());
  const [opened, setOpened] = useState<keyof typeof DIALOGS>();
  const onClose = () => setOpened(undefined);
  const onDone = (text: string) => {
    onClose();
    if (!app || opened !== 'delete') return notify(text);
    const link = linkTo(`${app.project.name}/apps`);
    notify(text, link);
    location.replace(link);
  };
  const Opened = opened && DIALOGS[opened];
  const ending = app?.keys.find(({ expireTime }) => expireTime !== null)?.expireTime;
  return (
    <ResourceScreen
      kind="App"
      query={query}
      resource={app}
      project={app && { ...app.project, name: `${app.project.name}/apps` }}
      actions={{
        of: mayChange
          ? {
              Rename: () => setOpened('rename'),
              [TEXTS.rotateKey]: () => setOpened('rotate'),
              [app?.active ? 'Deactivate' : 'Activate']: () => setOpened('switch'),
              Delete: () => setOpened('delete'),
            }
          : {},
        ends: ['Deactivate', 'Delete'],
      }}
      properties={
        app && {
          State: stateOf(app),
          Project: <ResourceLink {...app.project} />,
          Keys: [app.keys.length, ending && ', the old one expires ', ending && <Time value={ending} />],
          'Last sign-in': lastSignInOf(app),
          Created: <Time value={app.createTime} isExact />,
          ID: <FullId text={name} />,
        }
      }
    >
      {app && mayChange && Opened && <Opened app={app} onDone={onDone} onClose={onClose} />}
    </ResourceScreen>
  );
}

function stateOf({ active }: AppRowFragment) {
  return <span class={active ? 'mark good' : 'mark'}>{active ? 'Active' : 'Inactive'}</span>;
}

function lastSignInOf({ lastSignInTime }: AppRowFragment) {
  return lastSignInTime ? <Time value={lastSignInTime} /> : 'Never';
}
