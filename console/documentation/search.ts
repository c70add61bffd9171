/** The search of the documentation: a combobox of the sections. A page loads it when the field gets the focus. */
import { createSearch, type Found, lineOf, type Part, partsOf } from './sections.ts';

/** The sections as JSON, which the build puts here. */
declare const SECTIONS: string;

const MAX_RESULTS = 12;

// The pages, relative to this file because a proxy can add a path prefix.
const DOCS = new URL('../docs/', import.meta.url);

const search = createSearch(JSON.parse(SECTIONS));

const field = find<HTMLInputElement>('input[role="combobox"]');
const results = find('.options');
const list = find('.options [role="listbox"]');
const status = find('.options [role="status"]');

field.addEventListener('input', show);
field.addEventListener('focus', show);
field.addEventListener('blur', hide);
field.addEventListener('keydown', onKey);
// The field keeps the focus until the click: without it, there are no results to click.
results.addEventListener('mousedown', (event) => event.preventDefault());
list.addEventListener('click', () => field.blur());
if (document.activeElement === field) show();

function find<T extends HTMLElement = HTMLElement>(selector: string): T {
  const element = document.querySelector<T>(selector);
  if (element === null) throw new Error(`The page has no element ${selector}.`);
  return element;
}

function show(): void {
  const query = field.value.trim();
  if (query === '') {
    hide();
    return;
  }
  const found = search.find(query).slice(0, MAX_RESULTS);
  // The group of the best result is the first one.
  const groups: ReadonlyMap<string, readonly Found[]> =
    found.length > 0
      ? Map.groupBy(found, ({ id }) => (pathOf(id) === location.pathname ? 'This page' : 'Other pages'))
      : new Map([['Pages that may help', search.near(query)]]);
  list.replaceChildren(...[...groups].map(([name, members]) => groupOf(name, members)));
  for (const [position, option] of optionsOf().entries()) option.id = `found-${position + 1}`;
  const sections = found.length === 1 ? '1 section' : `${found.length} sections`;
  status.textContent = `${found.length === 0 ? `Nothing found for “${query}”` : sections}. ↑ and ↓ choose, Enter opens, Esc closes.`;
  results.hidden = false;
  field.ariaExpanded = 'true';
  select(found.length > 0 ? optionsOf()[0] : undefined);
}

function hide(): void {
  results.hidden = true;
  field.ariaExpanded = 'false';
  select(undefined);
}

function onKey(event: KeyboardEvent): void {
  const options = optionsOf();
  const selected = options.findIndex((option) => option.ariaSelected === 'true');
  if (results.hidden || event.isComposing) return;
  if (event.key === 'Escape') hide();
  else if (event.key === 'ArrowDown') select(options[(selected + 1) % options.length]);
  else if (event.key === 'ArrowUp') select(options.at(selected - 1));
  else if (event.key === 'Enter') open(options[selected], event);
  else return;
  event.preventDefault();
}

/** Opens a result as a click does, with Ctrl in a new tab. */
function open(option: HTMLElement | undefined, { ctrlKey, metaKey, shiftKey }: KeyboardEvent): void {
  option?.dispatchEvent(
    new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
  );
}

function select(selected: HTMLElement | undefined): void {
  for (const option of optionsOf()) option.ariaSelected = String(option === selected);
  if (selected === undefined) field.removeAttribute('aria-activedescendant');
  else field.setAttribute('aria-activedescendant', selected.id);
  selected?.scrollIntoView({ block: 'nearest' });
}

function optionsOf(): readonly HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[role="option"]')];
}

function groupOf(name: string, members: readonly Found[]): HTMLElement {
  const group = elementOf('div', { role: 'group', ariaLabel: name });
  const heading = elementOf('b', { textContent: name, ariaHidden: 'true' });
  group.append(heading, ...members.map(optionOf));
  return group;
}

function optionOf(found: Found): HTMLElement {
  const { id, title, page } = found;
  const option = elementOf('a', { role: 'option', href: new URL(id, DOCS).href, tabIndex: -1 });
  const name = elementOf('span', {});
  name.append(...marked(partsOf(title, found)));
  const line = elementOf('small', {});
  line.append(...marked(lineOf(found)));
  option.append(name, elementOf('span', { textContent: page === title ? '' : page }), line);
  return option;
}

/** Returns a text in which the words of the query are marked. */
function marked(parts: readonly Part[]): readonly (string | HTMLElement)[] {
  return parts.map(({ text, isWord }) => (isWord ? elementOf('mark', { textContent: text }) : text));
}

function elementOf<Name extends 'a' | 'b' | 'div' | 'mark' | 'small' | 'span'>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
): HTMLElement {
  return Object.assign(document.createElement(name), properties);
}

function pathOf(id: string): string {
  return new URL(id, DOCS).pathname;
}
