/** A cache that forgets what has not been asked for the longest, so that it stays below a size. */
export class LruCache<T> {
  readonly #maxSize: number;
  // A Map keeps the order in which keys were put in.
  readonly #entries = new Map<string, { readonly value: T; readonly size: number }>();
  #size = 0;

  /** @param maxSize the most that the sizes of all values may come to */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: T, size: number): void {
    this.delete(key);
    if (size > this.#maxSize) return;
    this.#entries.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#maxSize) break;
      this.delete(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#size = 0;
  }

  delete(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}
