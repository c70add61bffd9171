/**
 * What happens to a request:
 *
 * - `answer-lost`: it is executed, and its connection is closed before the response.
 * - `unavailable`: the database refuses its statements. Nothing is changed.
 * - `result-unknown`: its change is made, and the database does not confirm it.
 * - `rate-limited`: it is refused with 429, and can be repeated after a second.
 * - `token-revoked`: its bearer token is revoked before it is executed.
 * - `slow`: each of its statements waits.
 */
export type FaultName =
  | 'answer-lost'
  | 'unavailable'
  | 'result-unknown'
  | 'rate-limited'
  | 'token-revoked'
  | 'slow';

export type FaultOptions = {
  /** An operation, such as `updateWallet`: the fault is for the next request with it, by either API. */
  readonly operation?: string;
  /** How long each statement of a `slow` request waits; 2,000 by default. */
  readonly delayMs?: number;
};
