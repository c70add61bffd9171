import { hash } from 'node:crypto';
import type { Ulid } from '../../model/resource-name.ts';

// Each place is a hash and an id. A place that another act has taken costs a separate event.
const PLACES = 16_384;
const HASH_LENGTH = 16;
const PLACE_LENGTH = HASH_LENGTH + 26;

// 700 KB, and no strings, which each act would leave in the old generation of the heap.
const places = Buffer.alloc(PLACES * PLACE_LENGTH);

/** Returns the id of the event of the first of equal acts of this process, or else `id`, which is remembered. */
export function eventOfEqualActs(act: string, id: Ulid): Ulid {
  const digest = hash('sha256', act, 'buffer');
  const start = (digest.readUInt32LE(HASH_LENGTH) % PLACES) * PLACE_LENGTH;
  const end = start + HASH_LENGTH;
  if (places.compare(digest, 0, HASH_LENGTH, start, end) === 0) {
    return places.toString('latin1', end, start + PLACE_LENGTH) as Ulid;
  }
  digest.copy(places, start, 0, HASH_LENGTH);
  places.write(id, end, 'latin1');
  return id;
}
