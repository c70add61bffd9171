import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Returns the megabytes that a function leaves on the heap of this thread. */
export async function heapGrowth(work: () => unknown): Promise<number> {
  const before = heapUsed();
  await work();
  return (heapUsed() - before) / 1e6;
}

function heapUsed(): number {
  // V8 keeps compiled code for some more collections.
  for (let n = 0; n < 8; n += 1) collectGarbage();
  return process.memoryUsage().heapUsed;
}
