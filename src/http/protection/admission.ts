import { overloaded } from '../../model/api-error.ts';

/** Decides which requests are processed, and when. */
export type Admission = {
  /**
   * Calls `start` when the request can be processed, or with an error if it is refused. An accepted
   * request takes a place until `leave` is called.
   */
  enter(start: (error?: Error) => void): void;
  /** Gives the place of a request to others, until `resume` is called. */
  pause(): void;
  /** Takes a place again. Returns an error, and takes none, if no place is free. */
  resume(): Error | undefined;
  /** Gives the place of a request back after its response. */
  leave(): void;
};

// How long requests start in one turn of the event loop, so that new requests are read in between.
const MIN_STARTS_MS = 3;

// Requests start for at least this part of the time in which others were read. Otherwise a flood of requests that are
// refused would leave no time for those that were accepted. A start is about a quarter of the work for a request.
const MIN_STARTS_SHARE = 0.25;

/**
 * Returns the admission of one process.
 *
 * Requests that arrive faster than they are processed would wait in the buffers of the sockets, where
 * they can be neither counted nor refused. They are therefore read at once, and wait here. Requests
 * for which there is no place are refused as soon as they are read.
 *
 * @param maxRequests the maximum number of requests that have a place
 * @param clock returns a time in milliseconds
 */
export function admission(maxRequests: number, clock = () => performance.now()): Admission {
  const waiting: (() => void)[] = [];
  // Created once: the stack trace of an error takes longer than the rest of a refusal.
  const refusal = overloaded();
  let places = 0;
  /** The times at which the first and the latest request of this turn were read. */
  let firstRead: number | undefined;
  let latestRead = 0;
  /** The time at which the first waiting request of this turn was started. */
  let startsSince: number | undefined;
  /** How long waiting requests are started in one turn. */
  let startsMs = MIN_STARTS_MS;

  /** Returns whether a request that is read now can start at once. */
  function canStartAtOnce(): boolean {
    latestRead = clock();
    if (firstRead === undefined) {
      firstRead = latestRead;
      setImmediate(endReads, latestRead);
    }
    return waiting.length === 0 && latestRead - firstRead <= MIN_STARTS_MS;
  }

  function endReads(first: number): void {
    firstRead = undefined;
    startsMs = Math.max(MIN_STARTS_MS, (latestRead - first) * MIN_STARTS_SHARE);
  }

  /** Starts the oldest waiting request in this turn, or in a later one. */
  function startNext(): void {
    const now = clock();
    if (startsSince === undefined) {
      startsSince = now;
      setImmediate(endStarts);
    }
    if (now - startsSince <= startsMs) waiting.shift()?.();
    else setImmediate(startNext);
  }

  function endStarts(): void {
    startsSince = undefined;
  }

  return {
    enter(start) {
      const startsAtOnce = canStartAtOnce();
      if (places >= maxRequests) return start(refusal);
      places += 1;
      if (startsAtOnce) return start();
      waiting.push(start);
      // Node executes the promise jobs of a request before the next immediate.
      setImmediate(startNext);
    },
    pause() {
      places -= 1;
    },
    resume() {
      if (places >= maxRequests) return refusal;
      places += 1;
      return undefined;
    },
    leave() {
      places -= 1;
    },
  };
}
