import type { HeapBytes } from './contender.ts';
import type { Run } from './load.ts';

/** The runs of the gateway and of another server, one of each per round. */
export type Result = {
  readonly workload: string;
  /** The other server. */
  readonly against: string;
  /** The maximum of the processor time, relative to that of the other server. */
  readonly target: number | undefined;
  readonly ours: readonly Run[];
  readonly theirs: readonly Run[];
};

/** The median and the quartiles of ratios. */
type Ratio = { readonly median: number; readonly low: number; readonly high: number };

const HEAD = [
  'workload',
  'against',
  'processor time',
  'target',
  'µs',
  'rate',
  'requests/s',
  'p99 in ms',
  'events',
];

const HEAP_HEAD = ['workload', 'server', 'allocated, KB', 'survived, bytes', 'promoted, bytes'];

/** Returns a table of the results, in Markdown. */
export function tableOf(results: readonly Result[]): string {
  return [...headOf(HEAD), ...results.map(rowOf)].join('\n');
}

/** Returns a table of the bytes per response on the heap of the gateway, and on that of another commit of it. */
export function heapTable(results: readonly Result[], commit?: string): string {
  const rows = [...Map.groupBy(results, ({ workload }) => workload)].flatMap(([workload, ofWorkload]) => {
    // A comparison that was measured twice has two lists of runs.
    const ours = [...new Set(ofWorkload.map((result) => result.ours))].flat();
    const theirs = ofWorkload.filter(({ against }) => against === commit).flatMap((result) => result.theirs);
    return [
      heapRow(workload, 'gateway', ours),
      ...(commit === undefined ? [] : [heapRow(workload, commit, theirs)]),
    ];
  });
  return [...headOf(HEAP_HEAD), ...rows].join('\n');
}

function headOf(cells: readonly string[]): readonly string[] {
  return [cells, cells.map(() => '---')].map(lineOf);
}

function rowOf(result: Result): string {
  const { workload, against, target, ours, theirs } = result;
  const medians = (value: (run: Run) => number, digits: number) =>
    [ours, theirs]
      .map((runs) => median(runs.map(value)))
      .filter((number) => !Number.isNaN(number))
      .map((number) => number.toFixed(digits))
      .join(', ');
  const ratio = processorTime(result);
  return lineOf([
    workload,
    against,
    shownRatio(ratio),
    target === undefined ? '' : shownTarget(target, ratio),
    medians(({ cpuMicros }) => cpuMicros, 0),
    shownRatio(ratioOf(result, ({ rate }) => rate)),
    medians(({ rate }) => rate, 0),
    medians(({ p99 }) => p99, 1),
    medians(({ events }) => events ?? Number.NaN, 2),
  ]);
}

function heapRow(workload: string, server: string, runs: readonly Run[]): string {
  const bytes = (['allocated', 'survived', 'promoted'] as const).map((kind) => perResponse(runs, kind));
  const [allocated = 0, ...others] = bytes;
  return lineOf([
    workload,
    server,
    (allocated / 1000).toFixed(1),
    ...others.map((number) => number.toFixed(0)),
  ]);
}

/** The bytes per response in the garbage collections of all runs. */
export function perResponse(runs: readonly Run[], kind: keyof HeapBytes): number {
  const sumOf = (value: (run: Run) => number) => runs.reduce((sum, run) => sum + value(run), 0);
  return sumOf(({ heap }) => heap[kind]) / sumOf(({ responses }) => responses);
}

/** The processor time per response, relative to that of the other server in the same round. */
export function processorTime(result: Result): Ratio | undefined {
  return ratioOf(result, ({ cpuMicros }) => cpuMicros);
}

function ratioOf({ ours, theirs }: Result, value: (run: Run) => number): Ratio | undefined {
  const ratios = theirs.map((run, n) => value(ours[n] as Run) / value(run)).filter(Number.isFinite);
  if (ratios.length === 0) return undefined;
  return { median: median(ratios), low: percentile(ratios, 0.25), high: percentile(ratios, 0.75) };
}

function shownRatio(ratio: Ratio | undefined): string {
  if (ratio === undefined) return '';
  return `${ratio.median.toFixed(2)} (${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)})`;
}

function shownTarget(target: number, ratio: Ratio | undefined): string {
  return `at most ${target.toFixed(2)}${ratio && ratio.median > target ? ', **missed**' : ''}`;
}

/** Returns a row of a table. */
export function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Returns the median. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return ((sorted[middle] ?? Number.NaN) + (sorted[sorted.length - 1 - middle] ?? Number.NaN)) / 2;
}

/** Returns a percentile. `part` is from 0 to 1. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
