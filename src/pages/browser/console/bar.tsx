import { useEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';
import { GoTo } from './find.tsx';
import { Form } from './form.tsx';
import { SignOutDocument } from './generated-documents.ts';
import { request, revoke } from './request.ts';
import { linkTo, route } from './router.ts';
import { leaveSession, seesAccount, sessionState, useViewer, type Viewer } from './session.ts';
import { useStore } from './store.ts';
import { distance, Time, useNow } from './time.tsx';

// The expiry is shown when it is nearer than this.
const NEAR_MS = 3 * 86_400_000;

/** The bar with the links of the console, the field to go to a resource, and the menu of the session. */
export function Bar() {
  const viewer = useViewer();
  return (
    <div class="session">
      <nav aria-label="Console">
        {viewer.onlyProject ? (
          <Link path={linkTo(viewer.project.name)} text="Project" />
        ) : (
          <Link path="#/" text="Projects" />
        )}
        {seesAccount(viewer) && <Link path="#/tokens" text="Tokens" />}
        {seesAccount(viewer) && <Link path="#/events" text="Events" />}
      </nav>
      <GoTo />
      <SessionMenu viewer={viewer} />
    </div>
  );
}

function Link({ path, text }: { path: string; text: string }) {
  const {
    path: [kind = ''],
  } = useStore(route);
  const [, ownKind = ''] = path.split('/');
  const isInside = kind === ownKind || (ownKind === '' && ['projects', 'wallets', 'apps'].includes(kind));
  return (
    <a href={path} {...(isInside && { 'aria-current': location.hash === path ? 'page' : 'true' })}>
      {text}
    </a>
  );
}

/** The token of the session, and what can be done with it. */
function SessionMenu({ viewer }: { viewer: Viewer }) {
  const { entry } = useStore(route);
  const menu = useRef<HTMLDivElement>(null);
  const [isEnding, setIsEnding] = useState(false);
  useEffect(() => menu.current?.hidePopover(), [entry, isEnding]);
  return (
    <>
      <Expiry time={viewer.expireTime} />
      <button type="button" class="opener" popovertarget="session">
        {titleOf(viewer)}
      </button>
      <div id="session" ref={menu} class="menu" popover="auto">
        <Identity viewer={viewer} />
        <p class="muted">
          Ends <Time value={viewer.expireTime} />
        </p>
        <button type="button" onClick={() => leaveSession()}>
          Forget <small>The token stays valid.</small>
        </button>
        <button type="button" onClick={() => setIsEnding(true)}>
          End the token
        </button>
      </div>
      {isEnding && <EndToken onClose={() => setIsEnding(false)} />}
    </>
  );
}

/** What a token is: its level, its title, its limits and its account. */
export function Identity({ viewer }: { viewer: Viewer }) {
  const { level, title, account, app, project, readOnly, onlyProject } = viewer;
  return (
    <p class="identity">
      <strong>{level === 'ACCOUNT' ? 'Account token' : 'Project token'}</strong>
      <Title text={title || app?.title} />
      {onlyProject && level === 'ACCOUNT' && <Title text={`Only ${project.title}`} />}
      {readOnly && <span class="mark">Read-only</span>}
      <code>{account}</code>
    </p>
  );
}

function Title({ text }: { text: string | undefined }) {
  return text ? (
    <span class="title" title={text}>
      {text}
    </span>
  ) : null;
}

function titleOf({ title, app, level }: Viewer): string {
  return title || app?.title || (level === 'ACCOUNT' ? 'Account token' : 'Project token');
}

function Expiry({ time }: { time: string }) {
  const left = Date.parse(time) - useNow(15_000);
  if (left > NEAR_MS) return null;
  return <span class="mark warning">{left > 0 ? `Expires ${distance(left)}` : 'Expired'}</span>;
}

function EndToken({ onClose }: { onClose: () => void }) {
  const { readOnly } = useViewer();
  const end = async () => {
    // A token that only reads may send no mutation.
    if (readOnly) await revoke(sessionState.value.session?.token ?? '');
    else await request(SignOutDocument, {});
    leaveSession('The token has ended.');
  };
  return (
    <Dialog title="End the token?" onClose={onClose}>
      <p>It ends at once and for ever, wherever it is used. “Forget” removes it from this page only.</p>
      <Form action="End the token" isDangerous onSubmit={end} onCancel={onClose} />
    </Dialog>
  );
}
