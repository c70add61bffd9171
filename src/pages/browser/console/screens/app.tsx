import { useState } from 'preact/hooks';
import { AppDocument } from '../generated-documents.ts';
import { Resource, Short } from '../name.tsx';
import { Pending } from '../problem.tsx';
import { isMissing, nodeOf, useQuery } from '../query.ts';
import { linkTo } from '../router.ts';
import { NotFound, Screen } from '../screen.tsx';
import { mayChangeApps, seesAccount, useViewer } from '../session.ts';
import { Properties } from '../table.tsx';
import { Time } from '../time.tsx';
import { DeleteApp, RotateKey, SwitchApp } from './app-dialogs.tsx';
import { LastSignIn, State } from './apps.tsx';
import { History } from './events.tsx';

/** An app, its keys and its history. @param name its resource name */
export function App({ name }: { name: string }) {
  const query = useQuery(AppDocument, { name });
  const app = nodeOf(query.data);
  const viewer = useViewer();
  const [opened, setOpened] = useState<'rotate' | 'switch' | 'delete'>();
  const [done, setDone] = useState('');
  if (isMissing(query)) return <NotFound kind="App" />;
  const dialog = {
    onClose: () => setOpened(undefined),
    onDone: (text: string) => {
      setDone(text);
      setOpened(undefined);
      query.reload();
    },
  };
  const mayChange = app && mayChangeApps(viewer);
  const ending = app?.keys.find(({ expireTime }) => expireTime !== null)?.expireTime;
  return (
    <Screen
      title={app?.title ?? 'App'}
      aside={
        mayChange && (
          <div class="actions">
            <button type="button" onClick={() => setOpened('rotate')}>
              New key
            </button>
            <button type="button" onClick={() => setOpened('switch')}>
              {app.active ? 'Deactivate' : 'Activate'}
            </button>
            <button type="button" onClick={() => setOpened('delete')}>
              Delete
            </button>
          </div>
        )
      }
    >
      <p class="done" role="status">
        {done}
      </p>
      <Pending query={query} />
      {app && (
        <Properties
          of={[
            ['State', <State app={app} />],
            ['Project', <Resource {...app.project} />],
            ['Name', <Short text={name} label="name of the app" />],
            [
              'Keys',
              <>
                {app.keys.length}
                {ending && ', the old one ends '}
                {ending && <Time value={ending} />}
              </>,
            ],
            ['Last sign-in', <LastSignIn app={app} />],
            ['Created', <Time value={app.createTime} />],
          ]}
        />
      )}
      {app && seesAccount(viewer) && <History key={done} resource={name} />}
      {mayChange && opened === 'rotate' && <RotateKey app={app} {...dialog} />}
      {mayChange && opened === 'switch' && <SwitchApp app={app} {...dialog} />}
      {mayChange && opened === 'delete' && (
        <DeleteApp
          app={app}
          onClose={dialog.onClose}
          onDone={() => {
            setOpened(undefined);
            location.replace(linkTo(`${app.project.name}/apps`));
          }}
        />
      )}
    </Screen>
  );
}
