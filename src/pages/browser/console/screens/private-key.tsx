import { useEffect, useId, useRef } from 'preact/hooks';
import { Copy, useCopy } from '../clipboard.tsx';
import { Dialog } from '../dialog.tsx';

type PrivateKeyProps = {
  /** The app of the key. */
  readonly name: string;
  readonly title: string;
  readonly privateKey: string;
  readonly onStored: () => void;
};

/** Shows a private key, once. Only its button closes the dialog: Escape does not, and neither does the history. */
export function PrivateKey({ name, title, privateKey, onStored }: PrivateKeyProps) {
  const id = useId();
  const primary = useRef<HTMLButtonElement>(null);
  const { isCopied, copy } = useCopy(privateKey, primary);
  useEffect(() => {
    primary.current?.focus();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);
  const url = new URL('.', location.href).href.replace(/\/$/, '');
  const settings = `PAW_URL=${url}\nPAW_CLIENT_ID=${name}\nPAW_CLIENT_SECRET=${privateKey}`;
  const signIn = `curl ${url}/oauth/token \\\n  -u '${name}:${privateKey}' \\\n  -d grant_type=client_credentials`;
  return (
    <Dialog title={`The private key of “${title}”`}>
      <p>This is the only time that it is shown. Store it where the program reads its secrets.</p>
      <div class="field">
        <label for={id}>Private key</label>
        <textarea
          id={id}
          class="key"
          rows={4}
          readOnly
          spellcheck={false}
          value={privateKey}
          onFocus={(event) => event.currentTarget.select()}
        />
      </div>
      <div class="actions">
        <button ref={primary} type="button" class="primary" onClick={copy}>
          {isCopied ? 'Copied' : 'Copy the key'}
        </button>
        <span class="unseen" role="status">
          {isCopied && 'Copied the private key'}
        </span>
      </div>
      <Lines label="Settings of the program" copied="settings" text={settings} />
      <Lines label="Sign in with it" copied="command" text={signIn} />
      <div class="actions">
        <button type="button" onClick={onStored}>
          I have stored the key
        </button>
      </div>
    </Dialog>
  );
}

function Lines({ label, copied, text }: { label: string; copied: string; text: string }) {
  return (
    <div class="field">
      <div class="heading">
        <strong>{label}</strong> <Copy text={text} label={copied} />
      </div>
      <pre>
        <code>{text}</code>
      </pre>
    </div>
  );
}

/** Lets the browser ask before the page is left. */
function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
