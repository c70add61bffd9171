import { useEffect, useId } from 'preact/hooks';
import { Copy, Lines } from '../controls/clipboard.tsx';
import { Dialog } from '../controls/dialog.tsx';
import { Actions } from '../screen.tsx';

type PrivateKeyProps = {
  readonly app: { readonly name: string; readonly title: string };
  readonly privateKey: string;
  readonly onStored: () => void;
};

/** Shows a private key, once. Only its button closes the dialog: Escape does not, and neither does the history. */
export function PrivateKey({ app: { name, title }, privateKey, onStored }: PrivateKeyProps) {
  const id = useId();
  useEffect(() => {
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
        <textarea id={id} class="key" rows={4} readOnly spellcheck={false} value={privateKey} />
      </div>
      <div class="actions">
        <Copy text={privateKey} label="key" isPrimary />
      </div>
      <Lines title="Settings of the program" label="settings" text={settings} />
      <Lines title="Sign in with it" label="command" text={signIn} />
      <Actions of={{ 'I have stored the key': onStored }} />
    </Dialog>
  );
}

/** Lets the browser ask before the page is left. */
function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
