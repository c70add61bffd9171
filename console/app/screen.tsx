import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Observable, useObservable } from './observable.ts';
import { linkTo, route } from './router.ts';
import { useViewer } from './session.ts';
import { TEXTS } from './texts.ts';

/** The last completed action, and the link to the screen that shows it. */
const notice = new Observable<{ text: ComponentChildren; link: string }>({ text: '', link: '' });

/** A link to a screen above. */
type Crumb = { readonly title: string; readonly href: string };

type ScreenProps = {
  readonly title: string;
  /** The screens above, from the top. */
  readonly path?: readonly Crumb[];
  /** The image before the heading. */
  readonly cover?: ComponentChildren;
  /** The elements next to the heading. */
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
    // A field of the screen can have the focus already, such as the field for a token.
    if (section.current?.contains(document.activeElement)) return;
    scrollTo(0, 0);
    focusHeading();
  }, []);
  useEffect(() => {
    if (notice.value.link !== link) notify('');
  }, [link]);
  // A text that is there from the start is not announced, and neither is an unchanged one: it comes after an empty one.
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

/** Shows a completed action on the screen. @param link the link to the screen, if it is a different one */
export function notify(text: ComponentChildren, link = `#${route.value.address}`): void {
  notice.set({ text, link });
}

/** Returns the way to a screen below the projects, or below one of them, as far as the token has access to it. */
export function usePath(project?: { readonly name: string; readonly title: string }): readonly Crumb[] {
  const { onlyProject } = useViewer();
  const projects = onlyProject ? [] : [{ title: 'Projects', href: '#/' }];
  return project ? [...projects, { title: project.title, href: linkTo(project.name) }] : projects;
}

type ActionsProps = {
  readonly of: Readonly<Record<string, () => void>>;
  /** The text of the main action of the screen. */
  readonly primary?: string;
  /** The texts of the destructive ones. */
  readonly ends?: readonly string[];
};

/** The buttons of the actions, by their texts. */
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

/** The screen of a resource that does not exist, or that the token has no access to. */
export function NotFound({ kind }: { kind: string }) {
  return (
    <Screen title={`${kind} not found`}>
      <p>
        {TEXTS.notFound} <a href="#/">{TEXTS.backToProjects}</a>
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
