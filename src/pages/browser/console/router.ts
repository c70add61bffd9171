import { Store } from './store.ts';

/** The path in the fragment of the address, such as `/projects/<ULID>`. */
export const route = new Store('/');

/** Reads the path from the address. */
export function readRoute(): void {
  route.set(location.hash.slice(1) || '/');
}

/** Returns the link to a resource that has a screen. @param name its resource name */
export function linkTo(name: string): string {
  return `#/${name}`;
}
