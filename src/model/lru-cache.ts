/**
 * A cache that forgets what has not been asked for lately, so that it stays below a size.
 *
 * It has two halves. What is new, or asked for in the old half, goes into the young one;
 * when that is full it becomes the old one, and what was there is forgotten. So nothing
 * has to be moved each time that it is asked for.
 */
export class LruCache<T> {
  readonly #halfSize: number;
  #young = new Map<string, Entry<T>>();
  #old = new Map<string, Entry<T>>();
  #youngSize = 0;

  /** @param maxSize the most that the sizes of all values may come to; a value of over half of it is not kept */
  constructor(maxSize: number) {
    this.#halfSize = maxSize / 2;
  }

  get(key: string): T | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young.value;
    const old = this.#old.get(key);
    if (old !== undefined) this.#add(key, old);
    return old?.value;
  }

  set(key: string, value: T, size: number): void {
    this.delete(key);
    if (size <= this.#halfSize) this.#add(key, { value, size });
  }

  delete(key: string): void {
    this.#youngSize -= this.#young.get(key)?.size ?? 0;
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#youngSize = 0;
  }

  #add(key: string, entry: Entry<T>): void {
    if (this.#youngSize + entry.size > this.#halfSize) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSize = 0;
    }
    this.#young.set(key, entry);
    this.#youngSize += entry.size;
  }
}

type Entry<T> = { readonly value: T; readonly size: number };
