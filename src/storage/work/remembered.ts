/**
 * Returns a function that runs `work` at most once at a time, and remembers its result, also a failure.
 *
 * @param lifetimeMs how long the result is kept, in milliseconds; by default forever
 */
export function remembered<T>(
  work: () => Promise<T>,
  lifetimeMs = Number.POSITIVE_INFINITY,
): () => Promise<T> {
  let result: Promise<T> | undefined;
  let expiry = 0;
  return () => {
    if (result === undefined || performance.now() >= expiry) {
      expiry = Number.POSITIVE_INFINITY;
      result = work().finally(() => {
        expiry = performance.now() + lifetimeMs;
      });
    }
    return result;
  };
}
