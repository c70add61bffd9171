import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

// The memory of an entry in addition to its key and its value. Measured with Node 26.
const BYTES_PER_ENTRY = 300;

// Longer than most queries, whose digest takes longer than the look-up.
const MAX_KEY_LENGTH = 4096;

// So that no key equals the digest of another one.
const DIGEST_PREFIX = '\0';

/** A cache bounded by the memory of its entries. It evicts the least recently used ones. Keyv takes it as its store. */
export class ByteCache<Value extends object | string | number, Key extends string | number = string> {
  readonly #entries: LRUCache<Key | string, Value>;

  /**
   * @param maxBytes the memory of all entries, with their keys
   * @param sizeOf returns the memory of a value, in bytes
   */
  constructor(maxBytes: number, sizeOf: (value: Value) => number = () => 0) {
    const sizeCalculation = (value: Value, key: Key | string) =>
      BYTES_PER_ENTRY + (typeof key === 'string' ? countBytes(key) : 0) + sizeOf(value);
    this.#entries = new LRUCache({ maxSize: maxBytes, sizeCalculation });
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(shortened(key));
  }

  /** Adds or replaces a value. One that is larger than the cache is not kept. */
  set(key: Key, value: Value): void {
    this.#entries.set(shortened(key), value);
  }

  has(key: Key): boolean {
    return this.#entries.has(shortened(key));
  }

  delete(key: Key): boolean {
    return this.#entries.delete(shortened(key));
  }

  /** Returns the entries, those that were used last first. A long key is its digest. */
  [Symbol.iterator](): Iterator<[Key | string, Value]> {
    return this.#entries.entries();
  }
}

/** Returns a long key as its digest. */
function shortened<Key extends string | number>(key: Key): Key | string {
  if (typeof key !== 'string' || (key.length <= MAX_KEY_LENGTH && !key.startsWith(DIGEST_PREFIX))) return key;
  return DIGEST_PREFIX + hash('sha256', key, 'base64url');
}

/** The memory of a text, whose characters can take two bytes each. */
export function countBytes(text: string): number {
  return 2 * text.length;
}
