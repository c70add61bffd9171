import { useState } from 'preact/hooks';
import { type AppRowFragment as App, AppsDocument } from '../generated-documents.ts';
import { More, Size, useList } from '../list.tsx';
import { Resource, Short } from '../name.tsx';
import { mayChangeApps, useViewer } from '../session.ts';
import { type Column, Table } from '../table.tsx';
import { Time } from '../time.tsx';
import { CreateApp } from './app-dialogs.tsx';

const COLUMNS: readonly Column<App>[] = [
  { title: 'App', cell: (app) => <Resource {...app} /> },
  { title: 'State', cell: (app) => <State app={app} /> },
  { title: 'Name', cell: ({ name, title }) => <Short text={name} label={`name of ${title}`} /> },
  { title: 'Keys', isNumber: true, cell: ({ keys }) => keys.length },
  { title: 'Last sign-in', cell: (app) => <LastSignIn app={app} /> },
  { title: 'Created', cell: ({ createTime }) => <Time value={createTime} /> },
];

/** The apps of a project. */
export function Apps({ project }: { project: string }) {
  const list = useList(AppsDocument, { project }, ({ node }) => node?.apps);
  const mayChange = mayChangeApps(useViewer());
  const [isCreating, setIsCreating] = useState(false);
  const [done, setDone] = useState('');
  const onCreated = (title: string) => {
    list.reload();
    setDone(`Created “${title}”.`);
    setIsCreating(false);
  };
  return (
    <>
      <div class="heading">
        <Size list={list} noun="app" />
        {mayChange && (
          <button type="button" onClick={() => setIsCreating(true)}>
            Create app
          </button>
        )}
      </div>
      <p class="done" role="status">
        {done}
      </p>
      <Table label="Apps" columns={COLUMNS} rows={list.nodes} />
      {list.totalCount === 0 && (
        <p class="empty">
          The project has no apps. A program signs in as an app, and gets a token for this project.
        </p>
      )}
      <More list={list} />
      {isCreating && mayChange && (
        <CreateApp project={project} onCreated={onCreated} onClose={() => setIsCreating(false)} />
      )}
    </>
  );
}

/** Whether an app can sign in. */
export function State({ app: { active } }: { app: App }) {
  return <span class={active ? 'mark good' : 'mark'}>{active ? 'Active' : 'Inactive'}</span>;
}

/** The time of the last sign-in of an app. */
export function LastSignIn({ app: { lastSignInTime } }: { app: App }) {
  return lastSignInTime ? <Time value={lastSignInTime} /> : 'Never';
}
