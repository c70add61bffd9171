import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Actions } from '../screen.tsx';
import { TEXTS } from '../texts.ts';
import { useUniqueId } from '../unique-id.ts';
import { Copy } from './clipboard.tsx';
import { Dialog } from './dialog.tsx';

type SecretProps = {
  readonly title: string;
  /** The name of the secret, such as `Private key`, and in one word, such as `key`. */
  readonly label: string;
  readonly noun: string;
  readonly secret: string;
  readonly onStored: () => void;
  readonly children: ComponentChildren;
};

/** Shows a secret, once. Only its button closes the dialog: Escape does not, and neither does the history. */
export function Secret({ title, label, noun, secret, onStored, children }: SecretProps) {
  const id = useUniqueId();
  useEffect(() => {
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);
  return (
    <Dialog title={title}>
      <p>This {noun} is shown only once. Copy it to the place where your program reads its secrets.</p>
      <div class="field">
        <label for={id}>{label}</label>
        <textarea id={id} class="key" rows={4} readOnly spellcheck={false} value={secret} />
      </div>
      <div class="actions">
        <Copy text={secret} label={noun} isPrimary />
      </div>
      {children}
      <Actions of={{ [TEXTS.secretSaved(noun)]: onStored }} />
    </Dialog>
  );
}

/** Returns the URL of the gateway, without a slash at its end. */
export function gatewayUrl(): string {
  return new URL('.', location.href).href.replace(/\/$/, '');
}

/** Lets the browser ask before the page is left. */
function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
