import { useState } from 'preact/hooks';
import { Lines } from '../controls/clipboard.tsx';
import { Field, FormDialog } from '../controls/form.tsx';
import type { CreateProps } from '../controls/list.tsx';
import { NetworkOptions } from '../controls/networks.tsx';
import { CreateWalletDocument, type Network } from '../generated/documents.ts';
import { COMMAND } from '../page-elements.ts';
import { useMutation } from '../query.ts';
import { RequestError } from '../request.ts';
import { useViewer } from '../session.ts';

type CreateWalletProps = CreateProps & {
  /** The name of the project of the wallet. */
  readonly project: string;
};

/** The dialog that creates a wallet. If no address is left for its network, it says how to add some. */
export function CreateWallet({ project, onCreated, onClose }: CreateWalletProps) {
  const { account } = useViewer();
  const create = useMutation(CreateWalletDocument);
  const [exhausted, setExhausted] = useState<Network>();
  const submit = async ({ password = '', ...fields }: Readonly<Record<string, string>>) => {
    const { title = '', description = '' } = fields;
    const network = fields['network'] as Network;
    const input = { project, title, description, network, ...(password !== '' && { password }) };
    try {
      const { createWallet } = await create({ input });
      if (createWallet) onCreated(createWallet.wallet);
    } catch (error) {
      const { reason } = error instanceof RequestError ? error.details : {};
      setExhausted(reason === 'NO_ADDRESS_LEFT' ? network : undefined);
      throw error;
    }
  };
  return (
    <FormDialog
      title="Create a wallet"
      action="Create the wallet"
      busy="Creating…"
      onSubmit={submit}
      onClose={onClose}
    >
      <p>The wallet gets the next unused address for its network.</p>
      <Field name="title" label="Title">
        {(control) => <input {...control} autocomplete="off" />}
      </Field>
      <Field name="description" label="Description">
        {(control) => <textarea {...control} rows={3} />}
      </Field>
      <Field name="network" label="Network">
        {(control) => (
          <select {...control}>
            <NetworkOptions />
          </select>
        )}
      </Field>
      <Field name="password" label="Password" hint="Exactly 32 characters. Empty: none.">
        {(control) => <input {...control} type="password" autocomplete="new-password" />}
      </Field>
      {exhausted && (
        <Lines
          title="To add addresses, run this on the gateway’s host. The file has one address per line. Then try again."
          label="command"
          text={`${COMMAND} address add --account ${account} --network ${exhausted} addresses.txt`}
        />
      )}
    </FormDialog>
  );
}
