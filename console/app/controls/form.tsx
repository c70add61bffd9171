import { type ComponentChildren, createContext, type JSX, type TargetedSubmitEvent } from 'preact';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Problem } from '../query-status.tsx';
import { RequestError } from '../request.ts';
import { useUniqueId } from '../unique-id.ts';
import { Dialog, KeepOpen } from './dialog.tsx';
import { ShowRequest } from './show-request.tsx';

/** The descriptions of the violations, by the name of the field. */
const Violations = createContext<ReadonlyMap<string, string>>(new Map());

/** The parts of a form. */
export type FormProps = {
  /** The text of the button. */
  readonly action: string;
  /** The text while the values are sent. */
  readonly busy: string;
  readonly isDangerous?: boolean;
  /**
   * Sends the values by the names of the fields. A RequestError that it throws is shown. It is also called to show its
   * request: see `firstRequestOf`.
   */
  readonly onSubmit: (values: Readonly<Record<string, string>>) => Promise<void>;
  /** Called after the sent values were refused, with a reason at a field. */
  readonly onRefused?: () => void;
  /** Adds a button to cancel. */
  readonly onCancel?: () => void;
  /** The text of this button. */
  readonly cancel?: string;
  readonly children?: ComponentChildren;
};

/** A form. It shows each violation at its field, focuses the first, and shows any other error above its buttons. */
export function Form(props: FormProps) {
  const { action, busy, isDangerous = false, onSubmit, onCancel, cancel = 'Cancel', children } = props;
  const form = useRef<HTMLFormElement>(null);
  const [error, setError] = useState<RequestError>();
  const [isBusy, setIsBusy] = useState(false);
  const [, draw] = useState({});
  const values = () => Object.fromEntries(new FormData(form.current ?? undefined)) as Record<string, string>;
  // Another map would draw the fields again between the two events of a select, and undo its change.
  const violations = useMemo(
    () => new Map(error?.details.fieldViolations?.map(({ field, description }) => [field, description])),
    [error],
  );
  const isShownAtFields =
    violations.size > 0 && [...violations.keys()].every((name) => form.current?.elements.namedItem(name));
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
    form.current?.querySelector('.problem')?.scrollIntoView({ block: 'nearest' });
  }, [error]);

  const keepOpen = useContext(KeepOpen);
  useEffect(() => keepOpen(isBusy), [isBusy]);

  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy) return;
    setIsBusy(true);
    setError(undefined);
    try {
      await onSubmit(values());
    } catch (thrown) {
      if (!(thrown instanceof RequestError)) throw thrown;
      setError(thrown);
      if (thrown.details.fieldViolations) props.onRefused?.();
    } finally {
      setIsBusy(false);
    }
  };

  return (
    <form ref={form} noValidate onSubmit={submit} onInput={() => draw({})} aria-busy={isBusy}>
      <Violations.Provider value={violations}>{children}</Violations.Provider>
      {error && !isShownAtFields && <Problem error={error} onRetry={() => form.current?.requestSubmit()} />}
      <div class="actions">
        <span class="muted" role="status">
          {isBusy && busy}
        </span>
        {onCancel && (
          <button type="button" aria-disabled={isBusy} onClick={isBusy ? undefined : onCancel}>
            {cancel}
          </button>
        )}
        {/* Not disabled while busy, because that would lose the focus. */}
        <button type="submit" class={isDangerous ? 'danger' : 'primary'} aria-disabled={isBusy}>
          {action}
        </button>
      </div>
      <ShowRequest send={() => onSubmit(values())} />
    </form>
  );
}

/** The attributes of the control of a field. */
export type ControlProps = Pick<
  JSX.IntrinsicElements['input'],
  'id' | 'aria-invalid' | 'aria-describedby'
> & {
  readonly name: string;
};

export type FieldProps = {
  readonly name: string;
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** Draws the input, select or textarea. */
  readonly children: (control: ControlProps) => ComponentChildren;
};

/** A field with its label, its hint, and its violation. */
export function Field({ name, label, hint, children }: FieldProps) {
  const id = useUniqueId();
  const violation = useContext(Violations).get(name);
  const describedBy = [hint && `${id}-hint`, violation && `${id}-violation`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        name,
        'aria-invalid': violation !== undefined,
        ...(describedBy && { 'aria-describedby': describedBy }),
      })}
      {hint && (
        <p class="muted" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {violation && (
        <p class="violation" id={`${id}-violation`}>
          {violation}
        </p>
      )}
    </div>
  );
}

type CheckProps = Pick<FieldProps, 'name' | 'label' | 'hint'> & { readonly isChecked: boolean };

/** A box to check. */
export function Check({ name, label, hint, isChecked }: CheckProps) {
  return (
    <label class="choice">
      <input type="checkbox" name={name} defaultChecked={isChecked} />
      {label} <small>{hint}</small>
    </label>
  );
}

type FormDialogProps = FormProps & { readonly title?: string; readonly onClose: () => void };

/** A form in its own dialog. Without a title, it asks whether to do the action. */
export function FormDialog({ title, onClose, ...form }: FormDialogProps) {
  return (
    <Dialog title={title ?? `${form.action}?`} onClose={onClose}>
      <Form {...form} onCancel={onClose} />
    </Dialog>
  );
}
