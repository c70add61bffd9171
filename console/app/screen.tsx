import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Observable, useObservable } from './observable.ts';
import { linkTo, route } from './router.ts';
import { useViewer } from './session.ts';

/** What was done last, and the link to the screen that says so. */
const notice = new Observable({ text: '', link: '' });

/** A link to a screen above. */
type Crumb = { readonly title: string; readonly href: string };

type ScreenProps = {
  readonly title: string;
  /** The screens above, from the top. */
  readonly path?: readonly Crumb[];
  /** The image before the heading. */
  readonly cover?: ComponentChildren;
  /** What is beside the heading. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** A screen with its heading, which gets the focus when the screen is shown. */
export function Screen({ title, path = [], cover, aside, children }: ScreenProps) {
  const { address } = useObservable(route);
  const link = `#${address}`;
  const done = useObservable(notice);
  const [said, setSaid] = useState<typeof done>();
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
  // A text that is there from the beginning is not announced, nor is one that is as before: it comes after an empty one.
  useEffect(() => setSaid(done), [done]);
  useEffect(() => {
    document.title = `${title} · PAW gateway`;
  }, [title]);
  return (
    <section ref={section} class="screen">
      {path.length > 0 && (
        <nav aria-label="Breadcrumbs">
          <ol class="path">
            {path.map(({ title, href }) => (
              <li key={href}>
                <a href={href} title={title}>
                  {title}
                </a>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div class="heading">
        {cover}
        <h1 tabIndex={-1}>{title}</h1>
        {aside}
      </div>
      <p class="done" role="status">
        {said === done && done.link === link && done.text}
      </p>
      {children}
    </section>
  );
}

/** Says on the screen what was done. @param link the link to the screen, if it is another one */
export function notify(text: string, link = `#${route.value.address}`): void {
  notice.set({ text, link });
}

/** Returns the way to a screen below the projects, or below one of them, as far as the token sees it. */
export function usePath(project?: { readonly name: string; readonly title: string }): readonly Crumb[] {
  const { onlyProject } = useViewer();
  const projects = onlyProject ? [] : [{ title: 'Projects', href: '#/' }];
  return project ? [...projects, { title: project.title, href: linkTo(project.name) }] : projects;
}

type ActionsProps = {
  readonly of: Readonly<Record<string, () => void>>;
  /** The text of what the screen is mostly for. */
  readonly primary?: string;
  /** The texts of those that end something. */
  readonly ends?: readonly string[];
};

/** The buttons of what can be done, by their texts. */
export function Actions({ of, primary, ends = [] }: ActionsProps) {
  return (
    <div class="actions">
      {Object.entries(of).map(([text, onClick], index) => (
        // A button keeps the focus when its text changes.
        <button
          key={index}
          type="button"
          class={text === primary ? 'primary' : ends.includes(text) ? 'ends' : undefined}
          onClick={onClick}
        >
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
