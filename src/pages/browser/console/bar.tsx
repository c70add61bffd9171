import { useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';
import { Form } from './form.tsx';
import { SignOutDocument } from './generated-documents.ts';
import { request, revoke } from './request.ts';
import { route } from './router.ts';
import { leaveSession, seesAccount, sessionState, useViewer, type Viewer } from './session.ts';
import { useStore } from './store.ts';
import { distance, useNow } from './time.tsx';

// The expiry is shown when it is nearer than this.
const NEAR_MS = 3 * 86_400_000;

/** The bar with the links of the console, and the token. */
export function Bar() {
  const viewer = useViewer();
  const [isEnding, setIsEnding] = useState(false);
  return (
    <>
      <div class="session">
        <nav aria-label="Console">
          <Link path="/" text="Projects" />
          {seesAccount(viewer) && <Link path="/tokens" text="Tokens" />}
          {seesAccount(viewer) && <Link path="/events" text="Events" />}
        </nav>
        <Identity viewer={viewer} />
        <button type="button" title="The token stays valid" onClick={() => leaveSession()}>
          Forget
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
  const { level, title, account, app, project, readOnly, onlyProject, expireTime } = viewer;
  return (
    <p class="identity">
      <strong>{level === 'ACCOUNT' ? 'Account token' : 'Project token'}</strong>
      <Title text={title || app?.title} />
      {onlyProject && level === 'ACCOUNT' && <Title text={`Only ${project.title}`} />}
      {readOnly && <span class="mark">Read-only</span>}
      <Expiry time={expireTime} />
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

function Link({ path, text }: { path: string; text: string }) {
  const current = useStore(route);
  const isOfProjects = path === '/' && current.startsWith('/projects/');
  return (
    <a href={`#${path}`} aria-current={current === path ? 'page' : isOfProjects}>
      {text}
    </a>
  );
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
