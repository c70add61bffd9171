import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ProjectCombobox } from '../controls/combobox.tsx';
import { type ControlProps, Field, FormDialog } from '../controls/form.tsx';
import { NETWORKS, NetworkOptions } from '../controls/networks.tsx';
import {
  type Network,
  UpdateWalletDocument,
  type WalletRowFragment as Wallet,
  WalletDocument,
} from '../generated/documents.ts';
import { nodeOf, useMutation } from '../query.ts';
import { RequestError, request } from '../request.ts';
import { useViewer } from '../session.ts';

const FIELDS = ['title', 'description', 'project', 'network'] as const;

type FieldName = (typeof FIELDS)[number];

type EditWalletProps = {
  readonly wallet: Wallet;
  readonly onUpdated: (wallet: Wallet) => void;
  readonly onClose: () => void;
};

/**
 * The dialog that changes a wallet. It sends only the changed fields, with the etag of the wallet that it was opened with.
 * If somebody else has changed the wallet since, it shows what they have saved beside what was entered.
 */
export function EditWallet(props: EditWalletProps) {
  const { onlyProject } = useViewer();
  const edited = useEdited(props);
  const { own, set, save } = edited;
  const field = (name: FieldName, label: string, draw: (control: ControlProps) => JSX.Element) => (
    <Field name={name} label={label} hint={noteOf(name, edited)}>
      {draw}
    </Field>
  );

  return (
    <FormDialog title="Edit the wallet" action="Save" onSubmit={save} onClose={props.onClose}>
      {field('title', 'Title', (control) => (
        <input
          {...control}
          value={own.title}
          onInput={({ currentTarget }) => set({ title: currentTarget.value })}
          autocomplete="off"
        />
      ))}
      {field('description', 'Description', (control) => (
        <textarea
          {...control}
          rows={3}
          value={own.description}
          onInput={({ currentTarget }) => set({ description: currentTarget.value })}
        />
      ))}
      {!onlyProject &&
        field('project', 'Project', (control) => (
          <ProjectCombobox control={control} chosen={own.project} onChoose={(project) => set({ project })} />
        ))}
      {field('network', 'Network', (control) => (
        <select
          {...control}
          value={own.network}
          onChange={({ currentTarget }) => set({ network: currentTarget.value as Network })}
        >
          <NetworkOptions />
        </select>
      ))}
      <Field name="password" label="New password" hint="Exactly 32 characters. Empty: unchanged.">
        {(control) => <input {...control} type="password" autocomplete="new-password" />}
      </Field>
    </FormDialog>
  );
}

/** What a wallet has in the form, and how it is saved. */
function useEdited({ wallet, onUpdated, onClose }: EditWalletProps) {
  const update = useMutation(UpdateWalletDocument, true);
  // The wallet as the gateway has it, before and after somebody else has changed it, and as it is in the form.
  const [before, setBefore] = useState<Wallet>();
  const [base, setBase] = useState(wallet);
  const [own, setOwn] = useState(wallet);
  const set = (changes: Partial<Wallet>) => setOwn((values) => ({ ...values, ...changes }));

  const save = async ({ password = '' }: Readonly<Record<string, string>>) => {
    const changes = changedFields(base, own).map((field) => [field, sentValue(own, field)]);
    if (password !== '') changes.push(['password', password]);
    if (changes.length === 0) return onClose();
    const input = { name: base.name, ifMatch: base.etag, ...Object.fromEntries(changes) };
    try {
      const { updateWallet } = await update({ input });
      if (updateWallet) onUpdated(updateWallet.wallet);
      onClose();
    } catch (error) {
      if (!(error instanceof RequestError) || error.details.reason !== 'ETAG_MISMATCH') throw error;
      await readAgain(error);
    }
  };

  /** Shows what somebody else has saved, and takes over what was not changed in this form. */
  const readAgain = async (error: RequestError) => {
    const node = nodeOf(await request(WalletDocument, { name: base.name }));
    if (!node) throw error;
    const changed = changedFields(base, own);
    for (const field of FIELDS) if (!changed.includes(field)) set({ [field]: node[field] });
    setBefore(base);
    setBase(node);
    const message =
      'Somebody else has changed the wallet meanwhile. Nothing was saved: look at their changes, then save again.';
    throw new RequestError(message, error.details);
  };

  return { before, base, own, set, save };
}

/** Returns what to say of a field that somebody else has changed. */
function noteOf(field: FieldName, { before, base, own, set }: ReturnType<typeof useEdited>) {
  if (!before || !changedFields(before, base).includes(field)) return;
  if (!changedFields(base, own).includes(field)) return 'Changed by somebody else meanwhile.';
  return (
    <>
      Changed by somebody else meanwhile, to “{shownValue(base, field)}”.{' '}
      <button type="button" class="small" onClick={() => set({ [field]: base[field] })}>
        Take over
      </button>
    </>
  );
}

function changedFields(before: Wallet, after: Wallet): readonly FieldName[] {
  return FIELDS.filter((field) => sentValue(before, field) !== sentValue(after, field));
}

/** Returns the value of a field as the API takes it. */
function sentValue(wallet: Wallet, field: FieldName): string {
  return field === 'project' ? wallet.project.name : wallet[field];
}

/** Returns the value of a field as the person reads it. */
function shownValue(wallet: Wallet, field: FieldName): string {
  if (field === 'project') return wallet.project.title;
  return field === 'network' ? (NETWORKS[wallet.network]?.title ?? wallet.network) : wallet[field];
}
