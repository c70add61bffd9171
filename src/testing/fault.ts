import type { Mutation, Query } from '../graphql/generated/schema-types.ts';
import { mutations } from '../graphql/resolvers/mutations.ts';
import { queries } from '../graphql/resolvers/queries.ts';

/** What happens to a request, by name. */
export const FAULTS = {
  'answer-lost': 'It is executed, and its connection is closed before the response.',
  unavailable: 'The database refuses its statements. Nothing is changed.',
  'result-unknown': 'Its change is made, and the database does not confirm it.',
  'rate-limited': 'It is refused with 429, and can be retried after a second.',
  'token-revoked': 'Its bearer token is revoked before it is executed.',
  slow: 'Each of its statements waits.',
} as const;

export type FaultName = keyof typeof FAULTS;

/** A field of Query or Mutation, through either API, or `token`, the sign-in over OAuth. */
export type OperationName = Exclude<keyof Query | keyof Mutation, '__typename'> | 'token';

export type FaultOptions = {
  /** The fault is for the next request with the operation, such as `updateWallet`. */
  readonly operation?: OperationName;
  /** How long each statement of a `slow` request waits; 2,000 by default. */
  readonly delayMs?: number;
};

/**
 * Checks names that a program without types can misspell.
 * @throws TypeError for a fault or an operation that does not exist
 */
export function checkFault(name: string, { operation }: FaultOptions): void {
  checkName('fault', name, Object.keys(FAULTS));
  if (operation === undefined) return;
  checkName('operation', operation, [...Object.keys(queries), ...Object.keys(mutations), 'token']);
}

function checkName(kind: string, name: string, names: readonly string[]): void {
  if (!names.includes(name)) throw new TypeError(`There is no ${kind} "${name}", but ${names.join(', ')}.`);
}
