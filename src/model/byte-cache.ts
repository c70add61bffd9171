import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

// The memory of an entry beside its value, with its key. Measured with Node 26.
const BYTES_PER_ENTRY = 300;

// Shorter than a digest, so that no key equals the digest of another one.
const MAX_KEY_LENGTH = 42;

/** A cache bounded by the memory of its entries. The entries that were not used for the longest time make room for new ones. */
export class ByteCache<Value extends object | string | number, Key extends string | number = string> {
  readonly #entries: LRUCache<Key | string, Value>;

  /**
   * @param maxBytes the memory of all entries, with their keys
   * @param sizeOf returns the memory of a value, in bytes
   */
  constructor(maxBytes: number, sizeOf: (value: Value) => number = () => 0) {
    const sizeCalculation = (value: Value) => BYTES_PER_ENTRY + sizeOf(value);
    this.#entries = new LRUCache({ maxSize: maxBytes, sizeCalculation });
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(digestOf(key));
  }

  /** Adds or replaces a value. One that is larger than the cache is not kept. */
  set(key: Key, value: Value): void {
    this.#entries.set(digestOf(key), value);
  }

  delete(key: Key): void {
    this.#entries.delete(digestOf(key));
  }
}

function digestOf<Key extends string | number>(key: Key): Key | string {
  return typeof key === 'string' && key.length > MAX_KEY_LENGTH ? hash('sha256', key, 'base64url') : key;
}

/** The memory of a text, whose characters can take two bytes each. */
export function bytesOf(text: string): number {
  return 2 * text.length;
}
