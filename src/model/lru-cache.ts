/**
 * A cache that forgets what has not been asked for lately, so that it stays below a size.
 * To find that out it goes round: what was asked for since it last came by gets another
 * round, which costs whoever asks less than to be moved each time.
 */
export class LruCache<T> {
  readonly #maxSize: number;
  // A Map keeps the order in which keys were put in.
  readonly #entries = new Map<string, Entry<T>>();
  #size = 0;

  /** @param maxSize the most that the sizes of all values may come to */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.isWanted = true;
    return entry.value;
  }

  set(key: string, value: T, size: number): void {
    this.delete(key);
    if (size > this.#maxSize) return;
    if (this.#size + size > this.#maxSize) this.#makeRoom(size);
    this.#entries.set(key, { value, size, isWanted: false });
    this.#size += size;
  }

  clear(): void {
    this.#entries.clear();
    this.#size = 0;
  }

  delete(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }

  #makeRoom(size: number): void {
    for (const [key, entry] of this.#entries) {
      if (!entry.isWanted) {
        this.delete(key);
        if (this.#size + size <= this.#maxSize) return;
      } else {
        entry.isWanted = false;
        // To the end of the round, where this comes by again.
        this.#entries.delete(key);
        this.#entries.set(key, entry);
      }
    }
  }
}

type Entry<T> = { readonly value: T; readonly size: number; isWanted: boolean };
