import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { previousAddress, route, scrollBack } from './router.ts';
import { useStore } from './store.ts';

type ScreenProps = {
  readonly title: string;
  /** What is beside the heading. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** A screen with its heading, which gets the focus when the screen is shown. */
export function Screen({ title, aside, children }: ScreenProps) {
  const { entry } = useStore(route);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const section = heading.current?.closest('section');
    const isBack = scrollBack();
    // On the way back, the focus is on the link that was followed.
    const links = isBack ? [...(section?.querySelectorAll('a') ?? [])] : [];
    const followed = links.find(({ hash }) => hash === `#${previousAddress()}`);
    // A field of the screen can have the focus already, such as that for a token.
    if (followed || !section?.contains(document.activeElement))
      (followed ?? heading.current)?.focus({ preventScroll: true });
  }, [entry]);
  useEffect(() => {
    document.title = `${title} · PAW gateway`;
  }, [title]);
  return (
    <section class="screen">
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
