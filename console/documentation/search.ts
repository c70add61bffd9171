/** The search of the documentation: a combobox of the sections. A page loads it when the field gets the focus. */
import MiniSearch, { type SearchResult } from 'minisearch';
import { type IndexedSection, SEARCH_OPTIONS, type Section } from './search-options.ts';

/** The index as JSON, which the build puts here. */
declare const SEARCH_INDEX: string;

const MAX_RESULTS = 12;

// The pages beside this file, also below a path prefix.
const DOCS = new URL('../docs/', import.meta.url);

const index = MiniSearch.loadJSON<IndexedSection>(SEARCH_INDEX, SEARCH_OPTIONS);

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

/** Returns the sections with all words of a query or, if there are none, with a word that is like one of them. */
function search(query: string): readonly (SearchResult & Section)[] {
  const options = { prefix: true, boost: { title: 4 } };
  const all = index.search(query, { ...options, combineWith: 'AND' });
  const found =
    all.length > 0 ? all : index.search(query, { ...options, fuzzy: (word) => word.length > 4 && 0.2 });
  return (found as (SearchResult & Section)[]).slice(0, MAX_RESULTS);
}

function show(): void {
  const query = field.value.trim();
  if (query === '') {
    hide();
    return;
  }
  const found = search(query);
  // The group of the best result is the first one.
  const groups = Map.groupBy(found, ({ id }) =>
    pathOf(id) === location.pathname ? 'This page' : 'Other pages',
  );
  list.replaceChildren(...[...groups].map(([name, members]) => groupOf(name, members)));
  for (const [position, option] of optionsOf().entries()) option.id = `found-${position + 1}`;
  list.hidden = found.length === 0;
  status.textContent =
    found.length === 0
      ? `No section has a word that begins with “${query}”.`
      : `${found.length === 1 ? '1 section' : `${found.length} sections`}. ↑ and ↓ choose, Enter opens, Esc closes.`;
  results.hidden = false;
  field.ariaExpanded = String(found.length > 0);
  select(optionsOf()[0]);
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

function groupOf(name: string, members: readonly (SearchResult & Section)[]): HTMLElement {
  const group = elementOf('div', { role: 'group', ariaLabel: name });
  const heading = elementOf('b', { textContent: name, ariaHidden: 'true' });
  group.append(heading, ...members.map(optionOf));
  return group;
}

function optionOf({ id, title, page, queryTerms }: SearchResult & Section): HTMLElement {
  const option = elementOf('a', { role: 'option', href: new URL(id, DOCS).href, tabIndex: -1 });
  const text = document.createElement('span');
  text.append(...marked(title, queryTerms));
  option.append(text, elementOf('span', { textContent: page === title ? '' : page }));
  return option;
}

/** Returns a title in which the words of the query are marked. */
function marked(title: string, words: readonly string[]): readonly (string | HTMLElement)[] {
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${words.map(RegExp.escape).join('|')})`, 'giu');
  return title
    .split(pattern)
    .map((text, position) => (position % 2 === 0 ? text : elementOf('mark', { textContent: text })));
}

function elementOf<Name extends 'a' | 'b' | 'div' | 'mark' | 'span'>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
): HTMLElement {
  return Object.assign(document.createElement(name), properties);
}

function pathOf(id: string): string {
  return new URL(id, DOCS).pathname;
}
