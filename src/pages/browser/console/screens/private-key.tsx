import { useEffect, useId } from 'preact/hooks';
import { Copy, ShellLine } from '../clipboard.tsx';
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
  useEffect(() => {
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);
  const url = new URL('oauth/token', location.href).href;
  const signIn = `curl ${url} \\\n  -u '${name}:${privateKey}' \\\n  -d grant_type=client_credentials`;
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
        <ShellLine text={signIn} />
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
