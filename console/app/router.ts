import { Observable } from './observable.ts';

/** The parts of the address. */
export type Route = {
  /** The fragment without `#`, such as `/projects/<ULID>/apps?title=…`. */
  readonly address: string;
  /** The parts of the path, without empty ones. */
  readonly path: readonly string[];
  /** The state of the list on the screen. */
  readonly query: URLSearchParams;
};

export const route = new Observable<Route>({ address: '/', path: [], query: new URLSearchParams() });

// Each returns whether what holds the screen gives it up.
const holders: (() => boolean)[] = [];

// The functions to call when nothing keeps the screen.
const delayed: (() => void)[] = [];

/**
 * Keeps the screen until the returned function is called, even if the address changes.
 *
 * @param leave called when the address has changed; returns whether it will release the screen
 */
export function blockNavigation(leave: () => boolean): () => void {
  holders.push(leave);
  return () => {
    holders.splice(holders.indexOf(leave), 1);
    // By then, a dialog that replaces this one holds the screen.
    queueMicrotask(() => {
      readRoute();
      if (!isNavigationBlocked()) for (const action of delayed.splice(0)) action();
    });
  };
}

/** Calls a function as soon as nothing keeps the screen. */
export function whenNavigationAllowed(action: () => void): void {
  if (isNavigationBlocked()) delayed.push(action);
  else action();
}

/** Returns whether the screen is kept. */
export function isNavigationBlocked(): boolean {
  return holders.length > 0;
}

/** Reads the address. If the screen is kept, its address is restored. */
export function readRoute(): void {
  const { address } = route.value;
  if (!isNavigationBlocked()) setRoute();
  else if (currentAddress() !== address && !holders.at(-1)?.()) history.pushState(null, '', `#${address}`);
}

function currentAddress(): string {
  return location.hash.slice(1) || '/';
}

function setRoute(): void {
  const address = currentAddress();
  const [path = '', query = ''] = address.split(/\?(.*)/s);
  route.set({ address, path: path.split('/').filter(Boolean), query: new URLSearchParams(query) });
}

/** Changes the state of the list in the address. An empty value is left out. */
export function setQuery(changes: Readonly<Record<string, string>>): void {
  const { path, query } = route.value;
  const values = Object.entries({ ...Object.fromEntries(query), ...changes });
  const text = new URLSearchParams(values.filter(([, value]) => value !== ''));
  history.replaceState(null, '', `#/${path.join('/')}${text.size > 0 ? `?${text}` : ''}`);
  setRoute();
}

/** Returns the link to a screen. @param name its address, such as the name of a resource */
export function linkTo(name: string): string {
  return `#/${name}`;
}
