import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { route } from './router.ts';
import { Store, useStore } from './store.ts';

/** What was done last, and the link to the screen that says so. */
const notice = new Store({ text: '', link: '' });

type ScreenProps = {
  readonly title: string;
  /** What is beside the heading. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** A screen with its heading, which gets the focus when the screen is shown. */
export function Screen({ title, aside, children }: ScreenProps) {
  const { address } = useStore(route);
  const link = `#${address}`;
  const { text, link: noticed } = useStore(notice);
  const [done, setDone] = useState('');
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    // A field of the screen can have the focus already, such as that for a token.
    if (section.current?.contains(document.activeElement)) return;
    scrollTo(0, 0);
    focusHeading();
  }, []);
  useEffect(() => {
    if (notice.value.link !== link) notify('');
  }, [link]);
  // A text that is there from the beginning is not announced.
  useEffect(() => setDone(noticed === link ? text : ''), [link, noticed, text]);
  useEffect(() => {
    document.title = `${title} · PAW gateway`;
  }, [title]);
  return (
    <section ref={section} class="screen">
      <div class="heading">
        <h1 tabIndex={-1}>{title}</h1>
        {aside}
      </div>
      <p class="done" role="status">
        {done}
      </p>
      {children}
    </section>
  );
}

/** Says on the screen what was done. @param link the link to the screen, if it is another one */
export function notify(text: string, link = `#${route.value.address}`): void {
  notice.set({ text, link });
}

/** The buttons of what can be done, by their texts. */
export function Actions({ of }: { of: Readonly<Record<string, () => void>> }) {
  return (
    <div class="actions">
      {Object.entries(of).map(([text, onClick], index) => (
        // A button keeps the focus when its text changes.
        <button key={index} type="button" onClick={onClick}>
          {text}
        </button>
      ))}
    </div>
  );
}

/** The screen of something that does not exist, or that the token does not see. */
export function NotFound({ kind }: { kind: string }) {
  return (
    <Screen title={`${kind} not found`}>
      <p>
        It does not exist, or the token does not see it. <a href="#/">Show the projects</a>
      </p>
    </Screen>
  );
}

/** Focuses the heading of the screen. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('.screen h1')?.focus({ preventScroll: true });
}

/** Moves the focus when the element that has it is removed: to the button of its form, or else to the heading. */
export function useFocusAfter(element: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current } = element;
    const button = current?.closest('form')?.querySelector<HTMLElement>('[type=submit]');
    return () => {
      if (!current?.contains(document.activeElement)) return;
      if (button) button.focus();
      else focusHeading();
    };
  }, []);
}
