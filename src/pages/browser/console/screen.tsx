import type { ComponentChildren, RefObject, TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { previousPath, scrollBack } from './router.ts';

type ScreenProps = {
  readonly title: string;
  /** False while the screen is kept in the background. */
  readonly isShown?: boolean;
  /** What is beside the heading. */
  readonly aside?: ComponentChildren;
  readonly onKeyDown?: (event: TargetedKeyboardEvent<HTMLElement>) => void;
  readonly children: ComponentChildren;
};

/** A screen with its heading, which gets the focus when the screen is shown. */
export function Screen({ title, isShown = true, aside, onKeyDown, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const wasShown = useRef(false);
  useEffect(() => {
    if (!isShown) return;
    const section = heading.current?.closest('section');
    // On the way back, the focus is on the link that was followed.
    const links = wasShown.current ? [...(section?.querySelectorAll('a') ?? [])] : [];
    const followed = links.find(({ hash }) => hash === `#${previousPath()}`);
    wasShown.current = true;
    // A field of the screen can have the focus already, such as that for a token.
    if (!section?.contains(document.activeElement))
      (followed ?? heading.current)?.focus({ preventScroll: true });
    scrollBack();
  }, [isShown]);
  useEffect(() => {
    if (isShown) document.title = `${title} · PAW gateway`;
  }, [isShown, title]);
  return (
    // A click beside the controls focuses the section, so that its keys go on working.
    <section class="screen" hidden={!isShown} tabIndex={-1} {...(onKeyDown && { onKeyDown })}>
      <div class="heading">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** Focuses the heading of the screen. */
export function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('.screen:not([hidden]) h1');
  heading?.focus({ preventScroll: true });
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
