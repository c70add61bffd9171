import type { TargetedInputEvent } from 'preact';
import { useState } from 'preact/hooks';
import { RequestError } from '../request.ts';
import { quoted, TEXTS } from '../texts.ts';
import { Field, type FieldProps, FormDialog, type FormProps } from './form.tsx';

type EditOptions<Resource, Name> = {
  /** Such as `wallet`. */
  readonly kind: string;
  readonly resource: Resource;
  /** The fields that the form changes. */
  readonly fields: readonly Name[];
  /** Returns the value of a field as the API takes it: null removes it. */
  readonly sent: (resource: Resource, field: Name) => string | null;
  /** Returns the value of a field as the user reads it. */
  readonly shown: (resource: Resource, field: Name) => string;
  /** Reads the resource again. */
  readonly read: () => Promise<Resource | undefined>;
  /** Sends the changed fields. */
  readonly update: (input: Input) => Promise<Resource | undefined>;
  readonly onUpdated: (resource: Resource) => void;
  readonly onClose: () => void;
};

type Input = { readonly name: string; readonly ifMatch: string } & Readonly<Record<string, string | null>>;

/** A resource in a form. */
type Edited<Resource, Name> = {
  /** Its values in the form. */
  readonly own: Resource;
  readonly set: (changes: Partial<Resource>) => void;
  /** Saves the changed fields, and others such as a password. */
  readonly save: (others?: Readonly<Record<string, string>>) => Promise<void>;
  /** Returns the note at a field that someone else has changed. */
  readonly noteOf: (field: Name) => FieldProps['hint'];
};

/**
 * Returns the state of a form that changes a resource. Only the changed fields are sent, with the etag of the resource
 * that the form was opened with. If someone else has changed it since, their values are shown next to the entered ones.
 */
export function useEdited<
  Resource extends { readonly name: string; readonly etag: string },
  Name extends keyof Resource & string,
>(options: EditOptions<Resource, Name>): Edited<Resource, Name> {
  const { kind, resource, fields, sent, shown } = options;
  // The resource as the gateway has it, before and after someone else has changed it, and as it is in the form.
  const [before, setBefore] = useState<Resource>();
  const [base, setBase] = useState(resource);
  const [own, setOwn] = useState(resource);
  const changedFields = (one: Resource, other: Resource) =>
    fields.filter((field) => sent(one, field) !== sent(other, field));
  const take = (field: Name, from: Resource) => setOwn((values) => ({ ...values, [field]: from[field] }));

  const save = async (others: Readonly<Record<string, string>> = {}) => {
    const changes = changedFields(base, own).map((field) => [field, sent(own, field)]);
    const input = { ...Object.fromEntries(changes), ...others };
    try {
      const updated = await options.update({ ...input, name: base.name, ifMatch: base.etag });
      if (updated) options.onUpdated(updated);
      options.onClose();
    } catch (error) {
      if (!(error instanceof RequestError) || error.details.reason !== 'ETAG_MISMATCH') throw error;
      await readAgain(error);
    }
  };

  /** Shows the values that someone else has saved, and takes over the fields that were not changed in this form. */
  const readAgain = async (error: RequestError) => {
    const theirs = await options.read();
    if (!theirs) throw error;
    const changed = changedFields(base, own);
    for (const field of fields) if (!changed.includes(field)) take(field, theirs);
    setBefore(base);
    setBase(theirs);
    const message = `${TEXTS.changedByOthers} this ${kind} while you were editing. Nothing was saved. Review their changes, and then save again.`;
    throw new RequestError(message, error.details);
  };

  const noteOf = (field: Name) => {
    if (!before || !changedFields(before, base).includes(field)) return;
    if (!changedFields(base, own).includes(field)) return `${TEXTS.changedByOthers} this.`;
    return (
      <>
        {TEXTS.changedByOthers} this to {quoted(shown(base, field))}.{' '}
        <button type="button" class="small" onClick={() => take(field, base)}>
          Take over
        </button>
      </>
    );
  };

  return { own, set: (changes) => setOwn((values) => ({ ...values, ...changes })), save, noteOf };
}

type EditDialogProps = Pick<FormProps, 'onSubmit' | 'children'> & {
  readonly title: string;
  readonly onClose: () => void;
};

/** The dialog of a form that changes a resource. */
export function EditDialog(props: EditDialogProps) {
  return <FormDialog action="Save" busy="Saving…" {...props} />;
}

type TextFieldProps<Name extends string> = Pick<FieldProps, 'label'> & {
  readonly edited: Pick<Edited<Readonly<Record<Name, string>>, Name>, 'set' | 'noteOf'> & {
    readonly own: Readonly<Record<Name, string | null>>;
  };
  readonly name: Name;
  /** The number of its lines, if it has several. */
  readonly rows?: number;
};

/** A field for a text of an edited resource. */
export function TextField<Name extends string>({ edited, name, label, rows }: TextFieldProps<Name>) {
  const { own, set, noteOf } = edited;
  const onInput = ({ currentTarget }: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>) =>
    set({ [name]: currentTarget.value } as Partial<Record<Name, string>>);
  const attributes = { value: own[name] ?? '', onInput };
  return (
    <Field name={name} label={label} hint={noteOf(name)}>
      {(control) =>
        rows ? (
          <textarea {...control} {...attributes} rows={rows} />
        ) : (
          <input {...control} {...attributes} autocomplete="off" />
        )
      }
    </Field>
  );
}
