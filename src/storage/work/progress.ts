/** Is called by a long work with the part that is done, such as a number of rows, and the whole, in the same unit. */
export type OnProgress = (part: number, whole: number) => void;

const INTERVAL_MS = 10_000;

/** Returns a function that passes its arguments on, but not again within ten seconds. */
export function throttled<Args extends readonly unknown[]>(report: (...args: Args) => void) {
  let nextMs = 0;
  return (...args: Args): void => {
    if (performance.now() < nextMs) return;
    nextMs = performance.now() + INTERVAL_MS;
    report(...args);
  };
}

/** Returns a function that adds to the completed part of `whole`. */
export function meterOf(onProgress: OnProgress | undefined, whole: number): (done: number) => void {
  let part = 0;
  onProgress?.(part, whole);
  return (done) => {
    part += done;
    onProgress?.(part, whole);
  };
}
