import { useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';
import { SignOutDocument } from './documents.ts';
import { Form } from './form.tsx';
import { request, revoke } from './request.ts';
import { leaveSession, sessionState, useViewer } from './session.ts';

/** The bar with the links of the console, and the token. */
export function Bar() {
  const { level, account, readOnly } = useViewer();
  const [isEnding, setIsEnding] = useState(false);
  return (
    <div class="session">
      <nav aria-label="Console">
        <a href="#/">Projects</a>
      </nav>
      <span>{level === 'ACCOUNT' ? 'Account token' : 'Project token'}</span>
      <code>{account}</code>
      {readOnly && <span class="mark">Read-only</span>}
      <button type="button" onClick={() => leaveSession()}>
        Forget
      </button>
      <button type="button" onClick={() => setIsEnding(true)}>
        End the token
      </button>
      {isEnding && <EndToken onClose={() => setIsEnding(false)} />}
    </div>
  );
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
      <p>It ends at once and for ever, for everyone who uses it. “Forget” only removes it from this page.</p>
      <Form action="End the token" isDangerous onSubmit={end} onCancel={onClose} />
    </Dialog>
  );
}
