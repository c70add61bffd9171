import type { Run } from './load.ts';

/** A target. */
export type Target =
  /** The maximum of the processor time, relative to that of the other server. */
  | { readonly processorTime: number }
  /** The minimum of the rate, relative to that of the other server. */
  | { readonly relativeRate: number }
  /** The minimum of the rate, in responses per second. */
  | { readonly rate: number };

/** The runs of the gateway and of another server, one of each per round. */
export type Result = {
  readonly workload: string;
  /** The other server; empty if there is none. */
  readonly against: string;
  readonly target: Target | undefined;
  readonly ours: readonly Run[];
  readonly theirs: readonly Run[];
};

/** The median and the quartiles of ratios. */
export type Ratio = { readonly median: number; readonly low: number; readonly high: number };

const HEAD = ['workload', 'against', 'processor time', 'target', 'rate', 'gateway', 'other', 'p99 in ms'];

/** The header of the table, in Markdown. */
export const tableHead = [HEAD, HEAD.map(() => '---')].map(lineOf).join('\n');

/** Returns a table row. */
export function tableRow(result: Result): string {
  const { workload, against, target, ours, theirs } = result;
  const rates = [ours, theirs].map((runs) => median(runs.map(({ rate }) => rate)));
  const latencies = [ours, theirs].map((runs) => median(runs.map(({ p99 }) => p99)));
  return lineOf([
    workload,
    against,
    shownRatio(processorTime(result)),
    target === undefined ? '' : shownTarget(target),
    shownRatio(ratioOf(result, ({ rate }) => rate)),
    ...rates.map((rate) => shown(rate, (number) => `${Math.round(number)}/s`)),
    latencies
      .map((p99) => shown(p99, (number) => number.toFixed(1)))
      .filter((text) => text !== '')
      .join(', '),
  ]);
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

function shownTarget(target: Target): string {
  if ('processorTime' in target) return `at most ${target.processorTime.toFixed(2)}`;
  if ('relativeRate' in target) return `rate at least ${target.relativeRate.toFixed(2)}`;
  return `at least ${target.rate}/s`;
}

function shown(value: number, format: (value: number) => string): string {
  return Number.isNaN(value) ? '' : format(value);
}

function lineOf(cells: readonly string[]): string {
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
