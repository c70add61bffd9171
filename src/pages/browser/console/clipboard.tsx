import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

const SHOWN_MS = 2000;

/** Returns the function that copies a text, and whether it has just been copied. */
export function useCopy(text: string, button: RefObject<HTMLButtonElement | null>) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);

  const copy = async () => {
    // The clipboard is undefined in insecure contexts (plain HTTP from another host), and can be forbidden.
    const isWritten = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setIsCopied(isWritten || copyBySelection(text, button.current));
  };
  return { isCopied, copy };
}

/** A button that copies a text. @param label the name of the text, such as `address` */
export function Copy({ text, label }: { text: string; label: string }) {
  const button = useRef<HTMLButtonElement>(null);
  const { isCopied, copy } = useCopy(text, button);
  return (
    <>
      <button ref={button} type="button" class="copy" onClick={copy} aria-label={`Copy the ${label}`}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
      <span class="unseen" role="status">
        {isCopied ? `Copied the ${label}` : ''}
      </span>
    </>
  );
}

/** @param button the field is put beside it, because what is outside of an open dialog can't be selected */
function copyBySelection(text: string, button: HTMLButtonElement | null): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  button?.after(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  button?.focus();
  return isCopied;
}

/** A line for a shell, with a button that copies it. */
export function ShellLine({ text }: { text: string }) {
  return (
    <div class="command">
      <code>{text}</code>
      <Copy text={text} label="command" />
    </div>
  );
}
