import { ByteCache } from '../../model/byte-cache.ts';

/** The length of a window. */
export const WINDOW_SECONDS = 60;

// More than 5,000 keys.
const MAX_BYTES = 2_000_000;

type Window = {
  count: number;
  endMs: number;
  /** The requests since `takeAll` was called. */
  sinceTaken: number;
};

/** The requests of a rate limit by key, in windows of the monotonic clock. The window of a key begins with a request. */
export class WindowCounts {
  readonly #windows = new ByteCache<Window>(MAX_BYTES);

  /** Counts a request. Returns the requests in the window of the key, and the seconds until its end. */
  add(key: string): { readonly count: number; readonly endSeconds: number } {
    const now = performance.now();
    let window = this.#windows.get(key);
    if (window === undefined) {
      window = { count: 0, endMs: 0, sinceTaken: 0 };
      this.#windows.set(key, window);
    }
    if (window.endMs <= now) {
      window.count = 0;
      window.endMs = now + WINDOW_SECONDS * 1000;
    }
    window.count += 1;
    window.sinceTaken += 1;
    return { count: window.count, endSeconds: Math.ceil((window.endMs - now) / 1000) };
  }

  /** Returns the requests of each key since the last call, whatever their windows are. */
  *takeAll(): Generator<readonly [key: string, count: number]> {
    for (const [key, window] of this.#windows) {
      yield [key, window.sinceTaken];
      window.sinceTaken = 0;
    }
  }
}
