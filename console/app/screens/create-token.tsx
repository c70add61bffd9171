import { useState } from 'preact/hooks';
import { clientSettings } from '../../../src/model/client-settings.ts';
import { Lines } from '../controls/clipboard.tsx';
import { ProjectCombobox } from '../controls/combobox.tsx';
import { Field, FormDialog } from '../controls/form.tsx';
import type { CreateProps } from '../controls/list.tsx';
import { gatewayUrl, Secret } from '../controls/secret.tsx';
import { dateOf } from '../controls/time.tsx';
import { CreateTokenDocument, type CreateTokenMutation } from '../generated/documents.ts';
import { useMutation } from '../query.ts';
import { useViewer, type Viewer } from '../session.ts';
import { CONSEQUENCES, quoted, TEXTS } from '../texts.ts';

/** After how many days a token can expire, if the token of the page does not expire before. */
const DAYS = [7, 30, 90, 365];

const DEFAULT_DAYS = 30;

const SEES = { account: 'Whole account', project: 'One project' } as const;

const MAY = { read: 'Read-only', change: TEXTS.readAndWrite } as const;

type Choices = { readonly sees: keyof typeof SEES; readonly may: keyof typeof MAY };

/** The dialog that creates a token, and then shows it. */
export function CreateToken({ onCreated, onClose }: CreateProps) {
  const viewer = useViewer();
  const create = useMutation(CreateTokenDocument);
  const [created, setCreated] = useState<NonNullable<CreateTokenMutation['createToken']>>();
  const [choices, setChoices] = useState<Choices>({ sees: 'account', may: 'read' });
  const [project, setProject] = useState(viewer.project);
  // A retried request has the same time.
  const [ends] = useState(() => endsOf(viewer));
  const { sees, may } = choices;
  if (created) return <NewToken {...created} onStored={() => onCreated(created.token)} />;
  const submit = async ({ title = '', expireTime = '' }: Readonly<Record<string, string>>) => {
    const limit = sees === 'project' && { project: project.name };
    const input = { title, expireTime, readOnly: may === 'read', ...limit };
    const { createToken } = await create({ input });
    if (createToken) setCreated(createToken);
  };
  return (
    <FormDialog
      title="Create a token"
      action="Create the token"
      busy="Creating…"
      onSubmit={submit}
      onClose={onClose}
    >
      <p>A program uses it like the token of this page. It is shown in the next step.</p>
      <Field name="title" label="Title" hint="The purpose of the token.">
        {(control) => <input {...control} autocomplete="off" />}
      </Field>
      <Select
        name="expireTime"
        label={TEXTS.expires}
        hint="It can’t outlive your current token."
        options={ends.options}
        value={ends.value}
      />
      <Select
        name="sees"
        label={TEXTS.access}
        options={SEES}
        value={sees}
        onChange={(value) => setChoices({ ...choices, sees: value })}
      />
      {sees === 'project' && (
        <Field name="project" label="Project">
          {(control) => <ProjectCombobox control={control} chosen={project} onChoose={setProject} />}
        </Field>
      )}
      <Select
        name="may"
        label={TEXTS.permissions}
        options={MAY}
        value={may}
        onChange={(value) => setChoices({ ...choices, may: value })}
      />
      <p role="status">
        {CONSEQUENCES[sees][may]} Can’t create tokens. Stops working when your current token does.
      </p>
    </FormDialog>
  );
}

type SelectProps<Value extends string> = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** The texts of the values. */
  readonly options: Readonly<Record<Value, string>>;
  /** The value at first. */
  readonly value: Value;
  readonly onChange?: (value: Value) => void;
};

function Select<Value extends string>({ options, value, onChange, ...field }: SelectProps<Value>) {
  return (
    <Field {...field}>
      {(control) => (
        <select {...control} onChange={({ currentTarget }) => onChange?.(currentTarget.value as Value)}>
          {Object.entries<string>(options).map(([each, text]) => (
            <option key={each} value={each} selected={each === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Returns the times at which a new token can expire, with their texts, and the one that is chosen at first. */
function endsOf({ expireTime }: Viewer) {
  const timeIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const times = DAYS.map((days) => [timeIn(days), `In ${days} days`] as const).filter(
    ([time]) => Date.parse(time) < Date.parse(expireTime),
  );
  const texts = [...times, [expireTime, TEXTS.withCurrentToken] as const];
  const options = Object.fromEntries(texts.map(([time, text]) => [time, `${text}, on ${dateOf(time)}`]));
  const [value] = times[DAYS.indexOf(DEFAULT_DAYS)] ?? [expireTime];
  return { options, value };
}

type NewTokenProps = {
  readonly token: { readonly title: string };
  readonly accessToken: string;
  readonly onStored: () => void;
};

function NewToken({ token: { title }, accessToken, onStored }: NewTokenProps) {
  const url = gatewayUrl();
  const settings = clientSettings({ url, token: accessToken });
  const list = `curl ${url}/project/projects \\\n  -H 'Authorization: Bearer ${accessToken}'`;
  return (
    <Secret
      title={`The token ${quoted(title)}`}
      label="Token"
      noun="token"
      secret={accessToken}
      onStored={onStored}
    >
      <Lines title="Settings of the program" label="settings" text={settings} />
      <Lines title="List the projects with it" label="command" text={list} />
    </Secret>
  );
}
