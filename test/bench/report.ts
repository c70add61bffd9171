import type { Run } from './load.ts';

/** The runs of the gateway and of another server, round by round. */
export type Result = {
  readonly workload: string;
  readonly against: string;
  /** The ratio to reach: at least, or for latencies at most. */
  readonly wanted: number | undefined;
  /** Whether the latencies are compared, and not the rates. */
  readonly isLatency: boolean;
  readonly ours: readonly Run[];
  readonly theirs: readonly Run[];
};

const HEAD = ['workload', 'against', 'ratio', 'wanted', 'CPU ratio', 'gateway', 'other', 'p99 ms'];

/** The head of the table, in Markdown. */
export const tableHead = [HEAD, HEAD.map(() => '---')].map(lineOf).join('\n');

/** A row of the table: the median of the ratios within each round, with the quartiles. */
export function tableRow({ workload, against, wanted, isLatency, ours, theirs }: Result): string {
  const main = ({ rate, p99 }: Run) => (isLatency ? p99 : rate);
  const ratiosOf = (value: (run: Run) => number) =>
    ours.map((run, n) => value(run) / value(theirs[n] as Run)).filter((ratio) => !Number.isNaN(ratio));
  const ratios = ratiosOf(main);
  const cpu = ratiosOf(({ cpuMicros }) => cpuMicros);
  const shown = (runs: readonly Run[]) =>
    isLatency
      ? `p50 ${median(runs.map(({ p50 }) => p50)).toFixed(2)} ms, p99 ${median(runs.map(({ p99 }) => p99)).toFixed(2)} ms`
      : `${Math.round(median(runs.map(({ rate }) => rate)))}/s`;
  const p99 = (runs: readonly Run[]) => median(runs.map((run) => run.p99)).toFixed(1);
  return lineOf([
    workload,
    against,
    `${median(ratios).toFixed(2)} (${percentile(ratios, 0.25).toFixed(2)} to ${percentile(ratios, 0.75).toFixed(2)})`,
    wanted === undefined ? '' : `${isLatency ? 'at most ' : ''}${wanted}`,
    cpu.length > 0 ? median(cpu).toFixed(2) : '',
    shown(ours),
    shown(theirs),
    isLatency ? '' : `${p99(ours)}, ${p99(theirs)}`,
  ]);
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** The value in the middle, or halfway between the two there. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return ((sorted[middle] ?? Number.NaN) + (sorted[sorted.length - 1 - middle] ?? Number.NaN)) / 2;
}

/** The value that the given part of the values, from 0 to 1, does not exceed. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
