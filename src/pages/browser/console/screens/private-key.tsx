import { useEffect, useId } from 'preact/hooks';
import { Command, Copy } from '../copy.tsx';
import { Dialog } from '../dialog.tsx';

// Continues a command of a shell.
const NEXT_LINE = ' \\\n  ';

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
  useEffect(() => {
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);
  const url = (path: string) => new URL(path, location.href).href;
  const body = JSON.stringify({ privateKey: { name, privateKey } });
  const oauth = [
    `curl ${url('oauth/token')}`,
    `-u '${name}:${privateKey}'`,
    '-d grant_type=client_credentials',
  ];
  const rest = [
    `curl ${url('auth/accounts:signinIdentity')}`,
    '-H "Authorization: Bearer $TOKEN"',
    `-H 'Content-Type: application/json'`,
    `-d '${body}'`,
  ];
  return (
    <Dialog title={`The private key of “${title}”`}>
      <p>
        This is the only time that it is shown. Store it where the program reads its secrets, with the name of
        the app, which is its OAuth client id.
      </p>
      <p>
        <code>{name}</code> <Copy text={name} label="name of the app" />
      </p>
      <div class="field">
        <div class="heading">
          <label for={id}>Private key</label>
          <Copy text={privateKey} label="private key" />
        </div>
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
      <details>
        <summary>Sign in with it</summary>
        <p class="muted">By OAuth, where the key is enough:</p>
        <Command text={oauth.join(NEXT_LINE)} label="OAuth command" />
        <p class="muted">
          By REST, with a token of the account or the project in <code>$TOKEN</code>:
        </p>
        <Command text={rest.join(NEXT_LINE)} label="REST command" />
      </details>
      <div class="actions">
        <button type="button" class="primary" onClick={onStored}>
          I have stored the key
        </button>
      </div>
    </Dialog>
  );
}

/** Lets the browser ask before the page is left. */
function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
