import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { scrollBack } from './router.ts';

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
  useEffect(() => {
    if (!isShown) return;
    // A field of the screen can have the focus already, such as that for a token.
    const { current } = heading;
    if (!current?.closest('section')?.contains(document.activeElement))
      current?.focus({ preventScroll: true });
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
