import { useState } from 'preact/hooks';
import { Dialog } from '../dialog.tsx';
import { Choices, Field, Form } from '../form.tsx';
import {
  type AppRowFragment as App,
  CreateAppDocument,
  type CreateAppMutation,
  DeleteAppDocument,
  RotateAppKeyDocument,
  type RotateAppKeyMutation,
  UpdateAppDocument,
} from '../generated-documents.ts';
import { useMutation } from '../mutation.ts';
import { RequestError } from '../request.ts';
import { PrivateKey } from './private-key.tsx';

const GRACE_PERIODS = [
  {
    value: '0',
    label: 'At once',
    hint: 'For a key that has leaked. Programs that use it fail until they have the new one.',
  },
  { value: '3600', label: 'In 1 hour' },
  { value: '86400', label: 'In 1 day' },
  { value: '604800', label: 'In 7 days' },
];

type CreateAppProps = {
  /** The name of the project. */
  readonly project: string;
  readonly onCreated: (title: string) => void;
  readonly onClose: () => void;
};

/** The dialog that creates an app, and then shows its key. */
export function CreateApp({ project, onCreated, onClose }: CreateAppProps) {
  const create = useMutation(CreateAppDocument);
  const [created, setCreated] = useState<NonNullable<CreateAppMutation['createApp']>>();
  if (created) {
    const { app, privateKey } = created;
    return <PrivateKey {...app} privateKey={privateKey} onStored={() => onCreated(app.title)} />;
  }
  const submit = async ({ title = '', active }: Readonly<Record<string, string>>) => {
    const { createApp } = await create({ input: { project, title, active: active !== undefined } });
    if (createApp) setCreated(createApp);
  };
  return (
    <Dialog title="Create an app" onClose={onClose}>
      <p>A program signs in as an app. You get its private key in the next step.</p>
      <Form action="Create the app" onSubmit={submit} onCancel={onClose}>
        <Field name="title" label="Title">
          {(control) => <input {...control} autocomplete="off" />}
        </Field>
        <label class="choice">
          <input type="checkbox" name="active" defaultChecked />
          <span>
            Active <small>Otherwise it can’t sign in until you activate it.</small>
          </span>
        </label>
      </Form>
    </Dialog>
  );
}

type AppDialogProps = {
  readonly app: App;
  /** @param text what was done */
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
};

/** The dialog that gives an app a new key, and then shows it. */
export function RotateKey({ app, onDone, onClose }: AppDialogProps) {
  const rotate = useMutation(RotateAppKeyDocument);
  const [rotated, setRotated] = useState<NonNullable<RotateAppKeyMutation['rotateAppKey']>>();
  if (rotated) {
    const { privateKey, app: changed } = rotated;
    const onStored = () => onDone(`“${changed.title}” has a new key.`);
    return <PrivateKey {...changed} privateKey={privateKey} onStored={onStored} />;
  }
  const submit = async ({ gracePeriod }: Readonly<Record<string, string>>) => {
    if (gracePeriod === undefined) throw RequestError.ofField('gracePeriod', 'Choose when the old key ends.');
    const { rotateAppKey } = await rotate({ input: { name: app.name, gracePeriod: Number(gracePeriod) } });
    if (rotateAppKey) setRotated(rotateAppKey);
  };
  return (
    <Dialog title={`A new key for “${app.title}”`} onClose={onClose}>
      <p>
        The app gets a new private key. The old key ends for ever at the time that you choose, and so do the
        project tokens that were made with it.
        {app.keys.length > 1 && ' The key before it is still valid: it ends at once, with its tokens.'}
      </p>
      <Form action="Make the new key" isDangerous onSubmit={submit} onCancel={onClose}>
        <Choices name="gracePeriod" legend="The old key and its tokens end" choices={GRACE_PERIODS} />
      </Form>
    </Dialog>
  );
}

/** The dialog that deactivates an active app, or activates an inactive one. */
export function SwitchApp({ app: { name, title, active }, onDone, onClose }: AppDialogProps) {
  const update = useMutation(UpdateAppDocument);
  const submit = async () => {
    await update({ input: { name, active: !active } });
    onDone(`“${title}” is ${active ? 'inactive' : 'active'}.`);
  };
  const action = active ? 'Deactivate the app' : 'Activate the app';
  return (
    <Dialog title={`${action}?`} onClose={onClose}>
      <p>
        {active ? (
          <>
            All project tokens of <strong>{title}</strong> end at once and for ever, and it can’t sign in. Its
            keys stay: you can activate it again.
          </>
        ) : (
          <>
            <strong>{title}</strong> can sign in again with its key, for new project tokens.
          </>
        )}
      </p>
      <Form action={action} isDangerous={active} onSubmit={submit} onCancel={onClose} />
    </Dialog>
  );
}

/** The dialog that deletes an app. */
export function DeleteApp({ app: { name, title }, onDone, onClose }: AppDialogProps) {
  const remove = useMutation(DeleteAppDocument);
  const submit = async () => {
    await remove({ input: { name } });
    onDone(`Deleted “${title}”.`);
  };
  return (
    <Dialog title="Delete the app?" onClose={onClose}>
      <p>
        <strong>{title}</strong> is gone for ever, and its keys and project tokens end at once. To stop it for
        a while, deactivate it.
      </p>
      <Form action="Delete the app" isDangerous onSubmit={submit} onCancel={onClose} />
    </Dialog>
  );
}
