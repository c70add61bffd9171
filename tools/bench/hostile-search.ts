import type { Case } from './hostile-requests.ts';
import { progress } from './measure.ts';

const REPORTED = 10;
const REPETITIONS = 5;

type Result = { readonly hostile: Case; readonly value: number };

/** Finds the cases of the highest values. */
export type Search = {
  readonly label: string;
  readonly unit: string;
  readonly batch: number;
  /** Values below it are not looked at. */
  readonly min: number;
  measure(cases: readonly Case[], repetitions: number): Promise<number>;
};

/** Measures all cases in batches, those of bad batches by themselves. */
export async function rowsOf(
  { label, unit, batch: size, min, measure }: Search,
  cases: AsyncIterable<Case>,
  partMs: number,
): Promise<readonly string[]> {
  progress(label);
  const end = performance.now() + partMs;
  let count = 0;
  let worst: readonly Result[] = [];
  const inOrder = Number.isFinite(partMs) ? spread(cases) : cases;
  for await (const batch of batchesOf(inOrder, size)) {
    if (performance.now() > end) break;
    count += batch.length;
    const bound = Math.max(min, worst[REPORTED - 1]?.value ?? 0);
    const together = await measure(batch, 2);
    if (together < bound) continue;
    const measured = [];
    for (const hostile of batch) {
      if (performance.now() > end) break;
      measured.push({ hostile, value: size === 1 ? together : await measure([hostile], REPETITIONS) });
    }
    worst = [...worst, ...measured].toSorted((a, b) => b.value - a.value).slice(0, REPORTED);
  }
  return worst.map(
    ({ hostile, value }) =>
      `| ${label} (${count} cases) | ${hostile.name.replaceAll('|', '\\|')} | ${value.toFixed(1)} ${unit} |`,
  );
}

async function* batchesOf(cases: AsyncIterable<Case>, size: number): AsyncGenerator<readonly Case[]> {
  let batch: Case[] = [];
  for await (const each of cases) {
    batch.push(each);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Returns cases in an order in which each beginning has some from everywhere, for a run that ends early. */
async function* spread(cases: AsyncIterable<Case>): AsyncGenerator<Case> {
  const all = await Array.fromAsync(cases);
  const place = (index: number) => (index * ((Math.sqrt(5) - 1) / 2)) % 1;
  yield* [...all.entries()].toSorted(([a], [b]) => place(a) - place(b)).map(([, each]) => each);
}
