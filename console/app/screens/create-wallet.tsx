import { useEffect, useState } from 'preact/hooks';
import { NETWORKS } from '../../../src/model/network.ts';
import { Lines } from '../controls/clipboard.tsx';
import { Field, FormDialog } from '../controls/form.tsx';
import type { CreateProps } from '../controls/list.tsx';
import { NetworkSelect, networkOf } from '../controls/networks.tsx';
import { CreateWalletDocument, type Network } from '../generated/documents.ts';
import { COMMAND } from '../page-elements.ts';
import { refresh, useMutation } from '../query.ts';
import { RequestError } from '../request.ts';
import { useViewer } from '../session.ts';

type CreateWalletProps = CreateProps & {
  /** The name of the project of the wallet. */
  readonly project: string;
  /** The numbers of addresses that are left, as far as the token can read them. */
  readonly left: ReadonlyMap<Network, number>;
};

/** The dialog that creates a wallet. If a network has no address left, it says how to add some. */
export function CreateWallet({ project, left, onCreated, onClose }: CreateWalletProps) {
  const { account } = useViewer();
  const create = useMutation(CreateWalletDocument);
  const mayHaveSome = (each: Network) => left.get(each) !== 0;
  // It stays the one of the next attempt, even if another wallet has got its last address.
  const [network, setNetwork] = useState<Network>(NETWORKS.find(mayHaveSome) ?? 'NETWORK_ETHEREUM');
  const [refused, setRefused] = useState<Network>();
  const exhausted = refused ?? NETWORKS.find((each) => !mayHaveSome(each));
  // The numbers are read again when the dialog is opened, and when they are known to be old.
  useEffect(refresh, [refused]);
  const submit = async (fields: Readonly<Record<string, string>>) => {
    const { title = '', description = '', password = '' } = fields;
    const input = { project, title, description, network, ...(password !== '' && { password }) };
    try {
      const { createWallet } = await create({ input });
      if (createWallet) onCreated(createWallet.wallet);
    } catch (error) {
      const { reason } = error instanceof RequestError ? error.details : {};
      setRefused(reason === 'NO_ADDRESS_LEFT' ? network : undefined);
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
        {(control) => <NetworkSelect {...{ control, network, left }} onChoose={setNetwork} />}
      </Field>
      <Field name="password" label="Password" hint="Exactly 32 characters. Empty: none.">
        {(control) => <input {...control} type="password" autocomplete="new-password" />}
      </Field>
      {exhausted && (
        <Lines
          title={`To add addresses for ${networkOf(exhausted).title}, run this on the gateway’s host. The file has one address per line.`}
          label="command"
          text={`${COMMAND} address add --account ${account} --network ${exhausted} addresses.txt`}
        />
      )}
    </FormDialog>
  );
}
