import { useState } from 'preact/hooks';
import { Copy } from '../clipboard.tsx';
import { type AppRowFragment as App, AppsDocument } from '../generated-documents.ts';
import { More, useList } from '../list.tsx';
import { mayChangeApps, useViewer } from '../session.ts';
import { Time } from '../time.tsx';
import { CreateApp, RotateKey, SwitchApp } from './app-dialogs.tsx';

/** The open dialog, and what it is about. */
type Opened = { readonly action: 'create' } | { readonly action: 'rotate' | 'switch'; readonly app: App };

/** The apps of a project. */
export function Apps({ project }: { project: string }) {
  const list = useList(AppsDocument, { project }, ({ node }) => node?.apps);
  const mayChange = mayChangeApps(useViewer());
  const [opened, setOpened] = useState<Opened>();
  const [done, setDone] = useState('');
  const onClose = () => setOpened(undefined);
  const onCreated = (title: string) => {
    list.reload();
    setDone(`Created “${title}”.`);
    onClose();
  };
  const onChanged = (app: App) => {
    list.change((nodes) => nodes.map((node) => (node.name === app.name ? app : node)));
    const state = app.active ? 'active' : 'inactive';
    setDone(opened?.action === 'rotate' ? `“${app.title}” has a new key.` : `“${app.title}” is ${state}.`);
    onClose();
  };
  return (
    <section aria-labelledby="apps">
      <div class="heading">
        <h2 id="apps">
          Apps <span class="muted">{list.totalCount}</span>
        </h2>
        {mayChange && (
          <button type="button" onClick={() => setOpened({ action: 'create' })}>
            Create app
          </button>
        )}
      </div>
      <p class="done" role="status">
        {done}
      </p>
      <ul class="rows">
        {list.nodes.map((app) => (
          <AppRow key={app.name} app={app} onOpen={mayChange ? setOpened : undefined} />
        ))}
      </ul>
      {list.totalCount === 0 && (
        <div class="empty">
          <p>The project has no apps. A program signs in as an app, and gets a token for this project.</p>
        </div>
      )}
      <More list={list} />
      {opened?.action === 'create' && <CreateApp project={project} onCreated={onCreated} onClose={onClose} />}
      {opened?.action === 'rotate' && <RotateKey app={opened.app} onChanged={onChanged} onClose={onClose} />}
      {opened?.action === 'switch' && <SwitchApp app={opened.app} onChanged={onChanged} onClose={onClose} />}
    </section>
  );
}

type AppRowProps = {
  readonly app: App;
  /** Undefined if the token may not change apps. */
  readonly onOpen: ((opened: Opened) => void) | undefined;
};

function AppRow({ app, onOpen }: AppRowProps) {
  const { name, title, active, lastSignInTime, createTime, keys } = app;
  const switching = active ? 'Deactivate' : 'Activate';
  const ending = keys.find(({ expireTime }) => expireTime !== null)?.expireTime;
  return (
    <li>
      <div class="heading">
        <h3>
          {title} <span class={active ? 'mark good' : 'mark'}>{active ? 'Active' : 'Inactive'}</span>
        </h3>
        {onOpen && (
          <div class="actions">
            <button
              type="button"
              aria-label={`New key for ${title}`}
              onClick={() => onOpen({ action: 'rotate', app })}
            >
              New key
            </button>
            <button
              type="button"
              aria-label={`${switching} ${title}`}
              onClick={() => onOpen({ action: 'switch', app })}
            >
              {switching}
            </button>
          </div>
        )}
      </div>
      <dl>
        <div>
          <dt>Last sign-in</dt>
          <dd>{lastSignInTime ? <Time value={lastSignInTime} /> : 'Never'}</dd>
        </div>
        <div>
          <dt>Keys</dt>
          <dd>
            {keys.length}
            {ending && (
              <>
                , the old one until <Time value={ending} />
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <Time value={createTime} />
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
