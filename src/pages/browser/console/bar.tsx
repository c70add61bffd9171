import { useEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';
import { Form } from './form.tsx';
import { SignOutDocument } from './generated-documents.ts';
import { request, revoke, sentRequests } from './request.ts';
import { Requests } from './requests.tsx';
import { route } from './router.ts';
import { leaveSession, seesAccount, sessionState, useViewer } from './session.ts';
import { useStore } from './store.ts';
import { distance, useNow } from './time.tsx';

// The expiry is shown when it is nearer than this.
const NEAR_MS = 3 * 86_400_000;

/** The bar with the links of the console, and the token. */
export function Bar() {
  const viewer = useViewer();
  const { level, title, account, app, project, readOnly, onlyProject } = viewer;
  const [isEnding, setIsEnding] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  // Those of an earlier token may be of another person.
  useEffect(() => sentRequests.set([]), []);
  const close = () => {
    setIsOpen(false);
    opener.current?.focus();
  };
  return (
    <>
      <div class="session">
        <nav aria-label="Console">
          <Link path="/" text="Projects" />
          {seesAccount(viewer) && <Link path="/tokens" text="Tokens" />}
          {seesAccount(viewer) && <Link path="/events" text="Events" />}
        </nav>
        <p>
          <strong>{level === 'ACCOUNT' ? 'Account token' : 'Project token'}</strong>
          <Title text={title || app?.title} />
          {onlyProject && level === 'ACCOUNT' && <Title text={`Only ${project.title}`} />}
          {readOnly && <span class="mark">Read-only</span>}
          <Expiry />
          <code>{account}</code>
        </p>
        <button type="button" title="The token stays valid" onClick={() => leaveSession()}>
          Forget
        </button>
        <button type="button" onClick={() => setIsEnding(true)}>
          End the token
        </button>
        <button ref={opener} type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          Requests
        </button>
      </div>
      {isOpen && <Requests onClose={close} />}
      {isEnding && <EndToken onClose={() => setIsEnding(false)} />}
    </>
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

function Expiry() {
  const { expireTime } = useViewer();
  const left = Date.parse(expireTime) - useNow(15_000);
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
