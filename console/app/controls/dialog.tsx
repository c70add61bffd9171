import { type ComponentChildren, createContext } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { blockNavigation } from '../router.ts';
import { focusHeading } from '../screen.tsx';
import { useUniqueId } from '../unique-id.ts';

/** Keeps the dialog around open while a request is sent: its answer can be a private key, which is shown once. */
export const KeepOpen = createContext<(isKept: boolean) => void>(() => {});

type DialogProps = {
  readonly title: string;
  /** Called by Escape, the close button and the history. Without it, only the content of the dialog can end it. */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
};

/**
 * A modal dialog. It is open as long as it is drawn; the focus then returns to where it was. Until then, the address does
 * not change the screen. If something was entered, the user is asked before it is lost.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  const id = useUniqueId();
  const [isKept, setIsKept] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  const before = useRef<readonly string[]>([]);
  // The body, if the dialog replaces another one, which is removed before.
  const [opener] = useState(() => document.activeElement);

  const close = (): boolean => {
    if (isKept || !onClose) return false;
    const isChanged = valuesIn(dialog.current).some((value) => !before.current.includes(value));
    if (isChanged && !confirm('Discard your changes?')) return false;
    onClose();
    return true;
  };
  const latest = useRef(close);
  latest.current = close;
  useLayoutEffect(() => {
    dialog.current?.showModal();
    before.current = valuesIn(dialog.current);
    return blockNavigation(() => latest.current());
  }, []);
  // The element no longer exists, so the browser does not return the focus.
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement && opener !== document.body && opener.checkVisibility())
        opener.focus();
      else focusHeading();
    },
    [],
  );
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      closedby={onClose && !isKept ? 'closerequest' : 'none'}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClose={() => {
        // Chromium closes a dialog on a second Escape, even if the event is cancelled.
        dialog.current?.showModal();
        close();
      }}
    >
      <h2 id={id}>{title}</h2>
      <KeepOpen.Provider value={setIsKept}>{children}</KeepOpen.Provider>
      {/* Comes last, so the first field gets the focus. */}
      {onClose && (
        <button type="button" class="close" aria-label="Close" onClick={close}>
          ×
        </button>
      )}
    </dialog>
  );
}

function valuesIn(element: HTMLElement | null): readonly string[] {
  const forms = element?.querySelectorAll('form') ?? [];
  return Array.from(forms).flatMap((form) => Array.from(new FormData(form), (field) => field.join('=')));
}
