import { hash } from 'node:crypto';
import type { Ulid } from '../../model/resource-name.ts';

// Each place is a hash and an id. A place that another act has taken costs an event of its own.
const PLACES = 16_384;
const HASH_LENGTH = 16;
const PLACE_LENGTH = HASH_LENGTH + 26;

/**
 * Remembers the events of acts in 700 KB, so that equal acts are one event. It is a table of bytes, since strings would be moved
 * to the old generation of the heap with each act.
 */
export class EqualActs {
  readonly #places = Buffer.alloc(PLACES * PLACE_LENGTH);

  /** Returns the id of the event of the first of equal acts, or else `id`, which it remembers. */
  eventOf(act: string, id: Ulid): Ulid {
    const digest = hash('sha256', act, 'buffer');
    const start = (digest.readUInt32LE(HASH_LENGTH) % PLACES) * PLACE_LENGTH;
    const end = start + HASH_LENGTH;
    if (this.#places.compare(digest, 0, HASH_LENGTH, start, end) === 0) {
      return this.#places.toString('latin1', end, start + PLACE_LENGTH) as Ulid;
    }
    digest.copy(this.#places, start, 0, HASH_LENGTH);
    this.#places.write(id, end, 'latin1');
    return id;
  }
}
