import { hash } from 'node:crypto';
import type { Ulid } from '../../model/resource-name.ts';

// Each place is a hash and an id. A place that another act has taken costs a separate event.
const PLACES = 16_384;
const HASH_LENGTH = 16;
const PLACE_LENGTH = HASH_LENGTH + 26;

// 700 KB, and no strings, which each act would leave in the old generation of the heap.
const places = Buffer.alloc(PLACES * PLACE_LENGTH);

/** Returns the hash by which equal acts are found. */
export function hashOfAct(act: string): Buffer {
  return hash('sha256', act, 'buffer');
}

/** Returns the id of the event of equal acts that this process remembers, or undefined. */
export function findEventOfAct(actHash: Buffer): Ulid | undefined {
  const start = placeOf(actHash);
  if (!isAt(start, actHash)) return undefined;
  return places.toString('latin1', start + HASH_LENGTH, start + PLACE_LENGTH) as Ulid;
}

/** Remembers the id of the event of an act. Of concurrent equal acts, the first to be remembered stays. */
export function rememberEventOfAct(actHash: Buffer, id: Ulid): void {
  const start = placeOf(actHash);
  if (isAt(start, actHash)) return;
  actHash.copy(places, start, 0, HASH_LENGTH);
  places.write(id, start + HASH_LENGTH, 'latin1');
}

function placeOf(actHash: Buffer): number {
  return (actHash.readUInt32LE(HASH_LENGTH) % PLACES) * PLACE_LENGTH;
}

function isAt(start: number, actHash: Buffer): boolean {
  return places.compare(actHash, 0, HASH_LENGTH, start, start + HASH_LENGTH) === 0;
}
