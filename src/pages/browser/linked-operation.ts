import type { Example } from './examples.ts';

const MAX_LENGTH = 20_000;

const TOO_LONG = `# The operation in the address has more than ${MAX_LENGTH} characters. Paste it here instead.\n`;

/**
 * Returns the operation in the fragment `#query=…&variables=…` of the address, and removes the fragment from the address
 * and from the history. The person decides whether to execute it.
 */
export function takeLinkedOperation(): Example | undefined {
  const fragment = location.hash.slice(1);
  const parameters = new URLSearchParams(fragment);
  const query = parameters.get('query');
  if (query === null) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  if (fragment.length > MAX_LENGTH) return { query: TOO_LONG, variables: '' };
  return { query, variables: parameters.get('variables') ?? '' };
}
