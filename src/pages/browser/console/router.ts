import { Store } from './store.ts';

/** The path in the fragment of the address, such as `/projects/<ULID>`. */
export const route = new Store('/');

let previous = '/';

// How far each screen was scrolled when it was left.
const positions = new Map<string, number>();

let holders = 0;

/** Keeps the screen, whatever the address becomes, until the returned function is called. */
export function holdScreen(): () => void {
  holders += 1;
  return () => {
    holders -= 1;
    // By then, a dialog that replaces this one holds the screen.
    queueMicrotask(readRoute);
  };
}

/** Returns whether the screen is kept. */
export function isScreenHeld(): boolean {
  return holders > 0;
}

/** Reads the path from the address. */
export function readRoute(): void {
  if (isScreenHeld()) return;
  positions.set(route.value, scrollY);
  previous = route.value;
  route.set(location.hash.slice(1) || '/');
}

/** Returns the path before the current one. */
export function previousPath(): string {
  return previous;
}

/** Scrolls to where the screen was left, or else to its top. */
export function scrollBack(): void {
  scrollTo(0, positions.get(route.value) ?? 0);
}

/** Returns the link to a resource that has a screen. @param name its resource name */
export function linkTo(name: string): string {
  return `#/${name}`;
}
