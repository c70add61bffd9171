import { route } from './router.ts';

/** Where the user is in the list of a screen. The entry of the history keeps it, even across a reload. */
type Place = {
  /** The number of loaded rows. */
  readonly rows: number;
  readonly scroll: number;
  /** The selector of the link or the button of a row with the focus. */
  readonly focus: string;
  /** The names of the open rows. */
  readonly open: readonly unknown[];
};

history.scrollRestoration = 'manual';
// A click that opens a row has drawn it before it gets here.
for (const type of ['click', 'scrollend']) addEventListener(type, keepPlace);

/** Returns the place at which the user left the screen; null for a new entry. */
export function keptPlace(): Place | null {
  return history.state;
}

/** Scrolls to a place, and gives the focus back to its link or button. */
export function showPlace({ scroll, focus }: Place): void {
  scrollTo(0, scroll);
  // A row has some links twice, one of which is hidden.
  const controls = Array.from(document.querySelectorAll<HTMLElement>(focus));
  if (document.activeElement?.matches('body, h1'))
    controls.find((control) => control.checkVisibility())?.focus({ preventScroll: true });
}

function keepPlace({ target }: Event): void {
  const rows = document.querySelectorAll('tbody tr:not(.rest)').length;
  const control = target instanceof Element ? target.closest('a, .turn') : document.activeElement;
  // Until the screen of a new address is drawn, the document still has the rows of the previous screen.
  if (rows === 0 || !control || (location.hash || '#/') !== `#${route.value.address}`) return;
  const href = control.getAttribute('href');
  const focus = `[data-name="${nameOf(control)}"] ${href ? `[href="${href}"]` : '.turn'}`;
  const open = Array.from(document.querySelectorAll('.turn[aria-expanded=true]'), nameOf);
  history.replaceState({ rows, scroll: scrollY, focus, open } satisfies Place, '');
}

function nameOf(element: Element): unknown {
  return element.closest('tr')?.dataset['name'];
}
