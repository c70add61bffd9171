import { ProjectCombobox } from '../controls/combobox.tsx';
import { EditDialog, TextField, useEdited } from '../controls/edit-dialog.tsx';
import { Field, FormDialog } from '../controls/form.tsx';
import { NetworkSelect, networkOf } from '../controls/networks.tsx';
import {
  ArchiveWalletDocument,
  UnarchiveWalletDocument,
  UpdateWalletDocument,
  type WalletRowFragment as Wallet,
  WalletDocument,
} from '../generated/documents.ts';
import { nodeOf, useMutation } from '../query.ts';
import { request } from '../request.ts';
import { useViewer } from '../session.ts';
import { TEXTS } from '../texts.ts';

const FIELDS = ['title', 'description', 'project', 'network', 'reference'] as const;

type FieldName = (typeof FIELDS)[number];

type EditWalletProps = {
  readonly wallet: Wallet;
  readonly onUpdated: (wallet: Wallet) => void;
  readonly onClose: () => void;
};

/** The dialog that changes a wallet. */
export function EditWallet({ wallet, onUpdated, onClose }: EditWalletProps) {
  const { onlyProject } = useViewer();
  const update = useMutation(UpdateWalletDocument, true);
  const edited = useEdited({
    kind: 'wallet',
    resource: wallet,
    fields: FIELDS,
    sent: sentValue,
    shown: shownValue,
    read: async () => nodeOf(await request(WalletDocument, { name: wallet.name })),
    update: async (input) => (await update({ input })).updateWallet?.wallet,
    onUpdated,
    onClose,
  });
  const { own, set, save, noteOf } = edited;
  const submit = ({ password = '' }: Readonly<Record<string, string>>) =>
    save(password === '' ? {} : { password });
  return (
    <EditDialog title="Edit the wallet" onSubmit={submit} onClose={onClose}>
      <TextField edited={edited} name="title" label="Title" />
      <TextField edited={edited} name="description" label="Description" rows={3} />
      {!onlyProject && (
        <Field name="project" label="Project" hint={noteOf('project')}>
          {(control) => (
            <ProjectCombobox
              control={control}
              chosen={own.project}
              onChoose={(project) => set({ project })}
            />
          )}
        </Field>
      )}
      <Field name="network" label="Network" hint={noteOf('network')}>
        {(control) => (
          <NetworkSelect control={control} network={own.network} onChoose={(network) => set({ network })} />
        )}
      </Field>
      <TextField edited={edited} name="reference" label="Reference" />
      <Field name="password" label="New password" hint="Exactly 32 characters. Empty: unchanged.">
        {(control) => <input {...control} type="password" autocomplete="new-password" />}
      </Field>
    </EditDialog>
  );
}

/** The dialog that archives or unarchives a wallet. */
export function ArchiveWallet({ wallet: { name, title, archiveTime }, onUpdated, onClose }: EditWalletProps) {
  const archive = useMutation(ArchiveWalletDocument);
  const unarchive = useMutation(UnarchiveWalletDocument);
  const submit = async () => {
    const input = { name };
    const payload = archiveTime
      ? (await unarchive({ input })).unarchiveWallet
      : (await archive({ input })).archiveWallet;
    onClose();
    if (payload) onUpdated(payload.wallet);
  };
  const [action, busy, consequence] = archiveTime
    ? [TEXTS.unarchiveWallet, 'Unarchiving…', 'returns to the lists, and can be edited again.']
    : ['Archive the wallet', 'Archiving…', 'leaves the lists, and can’t be edited until you unarchive it.'];
  return (
    <FormDialog action={action} busy={busy} onSubmit={submit} onClose={onClose}>
      <p>
        <strong>{title}</strong> {consequence} It keeps its address.
      </p>
    </FormDialog>
  );
}

/** Returns the value of a field as the API takes it. */
function sentValue(wallet: Wallet, field: FieldName): string | null {
  if (field === 'reference') return wallet.reference || null;
  return field === 'project' ? wallet.project.name : wallet[field];
}

/** Returns the value of a field as the user reads it. */
function shownValue(wallet: Wallet, field: FieldName): string {
  if (field === 'project') return wallet.project.title;
  return field === 'network' ? networkOf(wallet.network).title : (wallet[field] ?? '');
}
