import { useState } from 'preact/hooks';
import { EditDialog, TextField, useEdited } from '../controls/edit-dialog.tsx';
import { Check, Field, FormDialog } from '../controls/form.tsx';
import type { CreateProps } from '../controls/list.tsx';
import {
  AppDocument,
  type AppRowFragment,
  CreateAppDocument,
  type CreateAppMutation,
  DeleteAppDocument,
  RotateAppKeyDocument,
  UpdateAppDocument,
} from '../generated/documents.ts';
import { nodeOf, useMutation } from '../query.ts';
import { RequestError, request } from '../request.ts';
import { quoted, TEXTS } from '../texts.ts';
import { PrivateKey } from './private-key.tsx';

/** When the old key can expire, by the grace period in seconds. */
const EXPIRIES = { 0: TEXTS.immediately, 3600: 'In 1 hour', 86400: 'In 1 day', 604800: 'In 7 days' };

type AppDialogProps = {
  readonly app: AppRowFragment;
  /** @param text the completed action */
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
};

/** An app with its new key. */
type WithKey = NonNullable<CreateAppMutation['createApp']>;

/** The dialog that creates an app, and then shows its key. @param project the name of its project */
export function CreateApp({ project, onCreated, onClose }: CreateProps & { readonly project: string }) {
  const create = useMutation(CreateAppDocument);
  const [created, setCreated] = useState<WithKey>();
  if (created) return <PrivateKey {...created} onStored={() => onCreated(created.app)} />;
  const submit = async ({ title = '', active }: Readonly<Record<string, string>>) => {
    const { createApp } = await create({ input: { project, title, active: active !== undefined } });
    if (createApp) setCreated(createApp);
  };
  return (
    <FormDialog
      title="Create an app"
      action="Create the app"
      busy="Creating…"
      onSubmit={submit}
      onClose={onClose}
    >
      <p>Your program signs in as this app. The private key is shown in the next step.</p>
      <Field name="title" label="Title">
        {(control) => <input {...control} autocomplete="off" />}
      </Field>
      <Check
        name="active"
        label="Active"
        hint="If off, the app can’t sign in until you activate it."
        isChecked
      />
    </FormDialog>
  );
}

/** The dialog that changes the title of an app. */
export function RenameApp({ app, onDone, onClose }: AppDialogProps) {
  const update = useMutation(UpdateAppDocument, true);
  const edited = useEdited({
    kind: 'app',
    resource: app,
    fields: ['title'],
    sent: ({ title }) => title,
    shown: ({ title }) => title,
    read: async () => nodeOf(await request(AppDocument, { name: app.name })),
    update: async (input) => (await update({ input })).updateApp?.app,
    onUpdated: ({ title }) => onDone(`Saved ${quoted(title)}.`),
    onClose,
  });
  return (
    <EditDialog title="Rename the app" onSubmit={() => edited.save()} onClose={onClose}>
      <TextField edited={edited} name="title" label="Title" />
    </EditDialog>
  );
}

/** The dialog that rotates the key of an app, and then shows the new one. */
export function RotateKey({ app, onDone, onClose }: AppDialogProps) {
  const rotate = useMutation(RotateAppKeyDocument);
  const [rotated, setRotated] = useState<WithKey>();
  if (rotated) {
    return <PrivateKey {...rotated} onStored={() => onDone(`${quoted(rotated.app.title)} has a new key.`)} />;
  }
  const submit = async ({ gracePeriod = '' }: Readonly<Record<string, string>>) => {
    if (gracePeriod === '') throw RequestError.ofField('gracePeriod', TEXTS.chooseExpiry);
    const { rotateAppKey } = await rotate({ input: { name: app.name, gracePeriod: Number(gracePeriod) } });
    if (rotateAppKey) setRotated(rotateAppKey);
  };
  const title = `${TEXTS.rotateTheKey} of ${quoted(app.title)}`;
  return (
    <FormDialog
      title={title}
      action={TEXTS.rotateTheKey}
      busy="Rotating…"
      isDangerous
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        This creates a new private key. The old key, and the project tokens issued for it, stop working at the
        time that you choose.
        {app.keys.length > 1 &&
          ' The previous key is still valid. It and its tokens are revoked immediately.'}
      </p>
      <Field
        name="gracePeriod"
        label={TEXTS.oldKeyExpires}
        hint={`If the key leaked, choose ${quoted(TEXTS.immediately)}. Programs that use it fail until they have the new key.`}
      >
        {(control) => (
          <select {...control}>
            <option value="">Choose</option>
            {Object.entries(EXPIRIES).map(([seconds, text]) => (
              <option key={seconds} value={seconds}>
                {text}
              </option>
            ))}
          </select>
        )}
      </Field>
    </FormDialog>
  );
}

/** The dialog that deactivates an active app, or activates an inactive one. */
export function SwitchApp({ app: { name, title, active }, onDone, onClose }: AppDialogProps) {
  const update = useMutation(UpdateAppDocument);
  const submit = async () => {
    await update({ input: { name, active: !active } });
    onDone(`${quoted(title)} is ${active ? 'inactive' : 'active'}.`);
  };
  const action = active ? 'Deactivate the app' : 'Activate the app';
  const consequence = active
    ? ' can’t sign in, and all its project tokens are revoked immediately. It keeps its keys, so you can activate it again.'
    : ' can sign in again with its key, for new project tokens.';
  return (
    <FormDialog
      action={action}
      busy={active ? 'Deactivating…' : 'Activating…'}
      isDangerous={active}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        <strong>{title}</strong>
        {consequence}
      </p>
    </FormDialog>
  );
}

/** The dialog that deletes an app. */
export function DeleteApp({ app: { name, title }, onDone, onClose }: AppDialogProps) {
  const remove = useMutation(DeleteAppDocument);
  const submit = async () => {
    await remove({ input: { name } });
    onDone(`Deleted ${quoted(title)}.`);
  };
  return (
    <FormDialog action="Delete the app" busy="Deleting…" isDangerous onSubmit={submit} onClose={onClose}>
      <p>
        This permanently deletes <strong>{title}</strong>, and immediately revokes its keys and project
        tokens. To disable the app temporarily, deactivate it instead.
      </p>
    </FormDialog>
  );
}
