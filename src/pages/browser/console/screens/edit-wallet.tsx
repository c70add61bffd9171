import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../dialog.tsx';
import { Field, Form } from '../form.tsx';
import {
  ProjectsDocument,
  UpdateWalletDocument,
  type UpdateWalletInput,
  type UpdateWalletMutation,
  type WalletRowFragment as Wallet,
} from '../generated-documents.ts';
import { useList } from '../list.tsx';
import { useMutation } from '../mutation.ts';
import { NETWORKS } from '../networks.ts';

const PASSWORD_LENGTH = 32;

const PROJECTS_PAGE = 100;

// A wallet is moved into one of these. An account with more has another client for it.
const MAX_PROJECTS = 1000;

/** A wallet after a change, with the project that it is in now. */
export type UpdatedWallet = NonNullable<UpdateWalletMutation['updateWallet']>['wallet'];

type EditWalletProps = {
  readonly wallet: Wallet;
  /** The name of its project. */
  readonly project: string;
  readonly onUpdated: (wallet: UpdatedWallet) => void;
  readonly onClose: () => void;
};

/** The dialog that changes a wallet. It sends only the changed fields. */
export function EditWallet({ wallet, project, onUpdated, onClose }: EditWalletProps) {
  const update = useMutation(UpdateWalletDocument, true);
  const { title, description, network } = wallet;
  const save = async (values: Readonly<Record<string, string>>) => {
    // The browser removes line breaks from an input, and shortens those of a textarea.
    const before: Record<string, string> = {
      title: title.replace(/[\r\n]/g, ''),
      description: description.replace(/\r\n?/g, '\n'),
      network,
      project,
      password: '',
    };
    const changes = Object.entries(values).filter(([field, value]) => value !== before[field]);
    if (changes.length === 0) return onClose();
    const input = { name: wallet.name, ...Object.fromEntries(changes) } as UpdateWalletInput;
    const { updateWallet } = await update({ input });
    if (updateWallet) onUpdated(updateWallet.wallet);
  };
  return (
    <Dialog title="Edit the wallet" onClose={onClose}>
      <Form action="Save" onSubmit={save} onCancel={onClose}>
        <Field name="title" label="Title">
          {(control) => <input {...control} defaultValue={title} autocomplete="off" />}
        </Field>
        <Field name="description" label="Description">
          {(control) => <textarea {...control} rows={3} defaultValue={description} />}
        </Field>
        <ProjectField project={project} />
        <Field name="network" label="Network">
          {(control) => (
            <select {...control}>
              {Object.entries(NETWORKS).map(([name, { title: networkTitle, isTestnet }]) => (
                <option key={name} value={name} selected={name === network}>
                  {networkTitle} {isTestnet && '(testnet)'}
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

/** The projects of the token, if there is more than one. */
function ProjectField({ project }: { project: string }) {
  const list = useList(ProjectsDocument, { first: PROJECTS_PAGE }, ({ projects }) => projects);
  const { nodes, totalCount = 0, hasMore, failure, loadMore } = list;
  const [chosen, setChosen] = useState(project);
  const isLoading = hasMore && !failure && nodes.length < MAX_PROJECTS;
  useEffect(() => {
    if (isLoading) loadMore(PROJECTS_PAGE);
  }, [isLoading, nodes]);
  if (totalCount < 2) return null;
  return (
    <Field
      name="project"
      label="Project"
      {...(hasMore && !isLoading && { hint: `The first ${nodes.length} of ${totalCount} projects.` })}
    >
      {(control) => (
        <select {...control} value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
          {nodes.every(({ name }) => name !== chosen) && <option value={chosen}>{chosen}</option>}
          {nodes.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
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
