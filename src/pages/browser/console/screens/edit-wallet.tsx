import { useState } from 'preact/hooks';
import { ProjectCombobox } from '../combobox.tsx';
import { Dialog } from '../dialog.tsx';
import { Field, Form } from '../form.tsx';
import {
  type Network,
  UpdateWalletDocument,
  type WalletRowFragment as Wallet,
  WalletDocument,
} from '../generated-documents.ts';
import { useMutation } from '../mutation.ts';
import { NETWORKS } from '../networks.tsx';
import { nodeOf } from '../query.ts';
import { RequestError, request } from '../request.ts';
import { useViewer } from '../session.ts';

const PASSWORD_LENGTH = 32;

/** The fields that are shown, each with its value as a text for the API, and as one for the person. */
const FIELDS = {
  title: { valueOf: ({ title }: Wallet) => title, textOf: ({ title }: Wallet) => title },
  description: {
    valueOf: ({ description }: Wallet) => description,
    textOf: ({ description }: Wallet) => description,
  },
  project: { valueOf: ({ project }: Wallet) => project.name, textOf: ({ project }: Wallet) => project.title },
  network: {
    valueOf: ({ network }: Wallet) => network,
    textOf: ({ network }: Wallet) => NETWORKS[network]?.title ?? network,
  },
} as const;

type FieldName = keyof typeof FIELDS;

const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

type EditWalletProps = {
  readonly wallet: Wallet;
  readonly onUpdated: (wallet: Wallet) => void;
  readonly onClose: () => void;
};

/**
 * The dialog that changes a wallet. It sends only the changed fields, with the etag of the wallet that it was opened with.
 * If somebody else has changed the wallet since, it shows what they have saved beside what was entered.
 */
export function EditWallet({ wallet, onUpdated, onClose }: EditWalletProps) {
  const { onlyProject } = useViewer();
  const update = useMutation(UpdateWalletDocument, true);
  // The wallet as the gateway has it, before and after somebody else has changed it, and as it is in the form.
  const [before, setBefore] = useState<Wallet>();
  const [base, setBase] = useState(wallet);
  const [own, setOwn] = useState(wallet);
  const set = (changes: Partial<Wallet>) => setOwn((values) => ({ ...values, ...changes }));

  const save = async ({ password = '' }: Readonly<Record<string, string>>) => {
    const changed = changedFields(base, own);
    if (changed.length === 0 && password === '') return onClose();
    const changes = changed.map((field) => [field, FIELDS[field].valueOf(own)]);
    const input = { name: base.name, ifMatch: base.etag, ...Object.fromEntries(changes) };
    try {
      const { updateWallet } = await update({ input: { ...input, ...(password && { password }) } });
      if (updateWallet) onUpdated(updateWallet.wallet);
    } catch (error) {
      if (!(error instanceof RequestError) || error.reason !== 'ETAG_MISMATCH') throw error;
      await readAgain(error);
    }
  };

  /** Shows what somebody else has saved, and takes over what was not changed in this form. */
  const readAgain = async (error: RequestError) => {
    const node = nodeOf(await request(WalletDocument, { name: base.name }));
    if (!node) throw error;
    const untouched = changedFields(base, node).filter((field) => !changedFields(base, own).includes(field));
    for (const field of untouched) set({ [field]: node[field] });
    setBefore(base);
    setBase(node);
    throw new RequestError(
      'Somebody else has changed the wallet meanwhile. Nothing was saved: look at their changes, then save again.',
      { ...error, status: 412 },
    );
  };

  const noteOf = (field: FieldName) => {
    if (!before || !changedFields(before, base).includes(field)) return;
    if (!changedFields(base, own).includes(field)) return 'Changed by somebody else meanwhile.';
    return (
      <>
        Changed by somebody else meanwhile, to “{FIELDS[field].textOf(base)}”.{' '}
        <button type="button" class="small" onClick={() => set({ [field]: base[field] })}>
          Take over
        </button>
      </>
    );
  };

  return (
    <Dialog title="Edit the wallet" onClose={onClose}>
      <Form action="Save" onSubmit={save} onCancel={onClose}>
        <Field name="title" label="Title" hint={noteOf('title')}>
          {(control) => (
            <input
              {...control}
              value={own.title}
              onInput={({ currentTarget }) => set({ title: currentTarget.value })}
              autocomplete="off"
            />
          )}
        </Field>
        <Field name="description" label="Description" hint={noteOf('description')}>
          {(control) => (
            <textarea
              {...control}
              rows={3}
              value={own.description}
              onInput={({ currentTarget }) => set({ description: currentTarget.value })}
            />
          )}
        </Field>
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
            <select
              {...control}
              value={own.network}
              onChange={({ currentTarget }) => set({ network: currentTarget.value as Network })}
            >
              {Object.entries(NETWORKS).map(([name, { title, isTestnet }]) => (
                <option key={name} value={name}>
                  {title} {isTestnet && '(testnet)'}
                </option>
              ))}
            </select>
          )}
        </Field>
        <PasswordField />
      </Form>
    </Dialog>
  );
}

function changedFields(before: Wallet, after: Wallet): readonly FieldName[] {
  return FIELD_NAMES.filter((field) => FIELDS[field].valueOf(before) !== FIELDS[field].valueOf(after));
}

function PasswordField() {
  const [length, setLength] = useState(0);
  const [isShown, setIsShown] = useState(false);
  const count = length === 0 ? '' : ` ${length} of ${PASSWORD_LENGTH}.`;
  return (
    <Field
      name="password"
      label="New password"
      hint={`Exactly ${PASSWORD_LENGTH} characters.${count || ' Empty: unchanged.'}`}
    >
      {(control) => (
        <div class="with-button">
          <input
            {...control}
            {...(isShown ? { type: 'text' } : { type: 'password' })}
            autocomplete="new-password"
            spellcheck={false}
            // In code points, as the gateway counts.
            onInput={(event) => setLength([...event.currentTarget.value].length)}
          />
          <button type="button" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
            Show
          </button>
        </div>
      )}
    </Field>
  );
}
