import { useState } from 'preact/hooks';

let last = 0;

/** Returns an id that no other element of the page has. Preact's `useId` counts for each root, of which the page has three. */
export function useUniqueId(): string {
  const [id] = useState(() => {
    last += 1;
    return `id-${last}`;
  });
  return id;
}
