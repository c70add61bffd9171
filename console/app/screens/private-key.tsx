import { clientSettings } from '../../../src/model/client-settings.ts';
import { Lines } from '../controls/clipboard.tsx';
import { gatewayUrl, Secret } from '../controls/secret.tsx';
import { quoted } from '../texts.ts';

type PrivateKeyProps = {
  readonly app: { readonly name: string; readonly title: string };
  readonly privateKey: string;
  readonly onStored: () => void;
};

/** Shows a private key, once. */
export function PrivateKey({ app: { name, title }, privateKey, onStored }: PrivateKeyProps) {
  const url = gatewayUrl();
  const settings = clientSettings({ url, clientId: name, clientSecret: privateKey });
  const signIn = `curl ${url}/oauth/token \\\n  -u '${name}:${privateKey}' \\\n  -d grant_type=client_credentials`;
  const what = { label: 'Private key', noun: 'key', secret: privateKey };
  return (
    <Secret title={`The private key of ${quoted(title)}`} {...what} onStored={onStored}>
      <Lines title="Settings of the program" label="settings" text={settings} />
      <Lines title="Sign in with it" label="command" text={signIn} />
    </Secret>
  );
}
