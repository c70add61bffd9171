import { setImmediate as nextTask } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Returns the megabytes that a function leaves on the heap of this thread. */
export async function heapGrowth(work: () => unknown): Promise<number> {
  const before = await heapUsed();
  await work();
  return ((await heapUsed()) - before) / 1e6;
}

async function heapUsed(): Promise<number> {
  // V8 keeps compiled code for some more collections, and what a closed connection still has to do until the next task.
  for (let n = 0; n < 8; n += 1) {
    collectGarbage();
    await nextTask();
  }
  return process.memoryUsage().heapUsed;
}
