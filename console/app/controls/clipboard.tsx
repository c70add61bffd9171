import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

const SHOWN_MS = 2000;

type CopyProps = {
  readonly text: string;
  /** The name of the text, such as `address`. */
  readonly label: string;
  /** Makes it the primary button, which has the focus. */
  readonly isPrimary?: boolean;
};

/** A button that copies a text. */
export function Copy({ text, label, isPrimary = false }: CopyProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (isPrimary) button.current?.focus();
  }, []);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <>
      <button
        ref={button}
        type="button"
        class={isPrimary ? 'primary' : isCopied ? 'copy copied' : 'copy'}
        title={isPrimary ? undefined : `Copy ${label}`}
        onClick={() => setIsCopied(copy(text, button.current))}
        aria-label={`Copy ${label}`}
      >
        {isPrimary && (isCopied ? 'Copied' : `Copy ${label}`)}
      </button>
      <span class="unseen" role="status">
        {isCopied ? `Copied ${label}` : ''}
      </span>
    </>
  );
}

/**
 * Copies by a selection, because `navigator.clipboard` is missing in insecure contexts: plain HTTP from another host.
 *
 * @param button the field is put next to it, because text outside of an open dialog can't be selected
 */
function copy(text: string, button: HTMLButtonElement | null): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  button?.after(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  button?.focus();
  return isCopied;
}

/** Lines for a shell or a file, with a button that copies them. */
export function Lines({ title, label, text }: { title: ComponentChildren; label: string; text: string }) {
  return (
    <div class="field">
      <div class="heading">
        <strong>{title}</strong> <Copy text={text} label={label} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}
