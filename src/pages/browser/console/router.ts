import { Store } from './store.ts';

/** What the address says, and which entry of the history it is. */
export type Route = {
  /** The fragment without `#`, such as `/projects/<ULID>/apps?title=…`. */
  readonly address: string;
  /** The parts of the path, without empty ones. */
  readonly path: readonly string[];
  /** The state of the list on the screen. */
  readonly query: URLSearchParams;
  /** Identifies the entry of the history, to which the person can come back. */
  readonly entry: number;
};

const MAX_ENTRIES = 100;

export const route = new Store<Route>({ address: '/', path: [], query: new URLSearchParams(), entry: 0 });

// How far each entry was scrolled when it was left.
const positions = new Map<number, number>();

// Each returns whether what holds the screen gives it up.
const holders: (() => boolean)[] = [];

let previous = '/';

/**
 * Keeps the screen, whatever the address becomes, until the returned function is called.
 *
 * @param leave called when the address has changed; returns whether it will release the screen
 */
export function holdScreen(leave: () => boolean): () => void {
  holders.push(leave);
  return () => {
    holders.splice(holders.indexOf(leave), 1);
    // By then, a dialog that replaces this one holds the screen.
    queueMicrotask(readRoute);
  };
}

/** Returns whether the screen is kept. */
export function isScreenHeld(): boolean {
  return holders.length > 0;
}

/** Reads the address. If the screen is kept, the address becomes that of the screen again. */
export function readRoute(): void {
  const { address, entry } = route.value;
  if (!isScreenHeld()) setRoute();
  else if (currentAddress() !== address && !holders.at(-1)?.())
    history.pushState({ entry }, '', `#${address}`);
}

function currentAddress(): string {
  return location.hash.slice(1) || '/';
}

function setRoute(): void {
  const before = route.value;
  let entry: number | undefined = history.state?.entry;
  if (entry === undefined) {
    entry = Math.random();
    history.replaceState({ entry }, '');
  }
  if (entry !== before.entry) {
    positions.set(before.entry, scrollY);
    if (positions.size > MAX_ENTRIES) positions.delete(positions.keys().next().value ?? 0);
    previous = before.address;
  }
  const address = currentAddress();
  const [path = '', query = ''] = address.split(/\?(.*)/s);
  route.set({ address, path: path.split('/').filter(Boolean), query: new URLSearchParams(query), entry });
}

/** Changes the state of the list in the address. An empty value is left out. */
export function setQuery(changes: Readonly<Record<string, string>>): void {
  const { path, query, entry } = route.value;
  const values = { ...Object.fromEntries(query), ...changes };
  const text = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
  history.replaceState({ entry }, '', `#/${path.join('/')}${text.size > 0 ? `?${text}` : ''}`);
  setRoute();
}

/** Returns the address before the current entry of the history. */
export function previousAddress(): string {
  return previous;
}

/** Scrolls to where the entry was left, or else to its top. @returns whether it has been left before */
export function scrollBack(): boolean {
  const position = positions.get(route.value.entry);
  scrollTo(0, position ?? 0);
  return position !== undefined;
}

/** Returns the link to a resource that has a screen. @param name its resource name */
export function linkTo(name: string): string {
  return `#/${name}`;
}
