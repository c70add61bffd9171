import type { Run } from './load.ts';

/** The runs of the gateway and of another server, one of each per round. */
export type Result = {
  readonly workload: string;
  readonly against: string;
  /** The target ratio: a minimum for rates, a maximum for latencies. */
  readonly wanted: number | undefined;
  /** Whether to compare latencies instead of rates. */
  readonly isLatency: boolean;
  readonly ours: readonly Run[];
  readonly theirs: readonly Run[];
};

const HEAD = ['workload', 'against', 'ratio', 'wanted', 'CPU ratio', 'gateway', 'other', 'p99 ms'];

/** The header of the table, in Markdown. */
export const tableHead = [HEAD, HEAD.map(() => '---')].map(lineOf).join('\n');

/** Returns a table row: the median and the quartiles of the ratios within each round. */
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
  const p99s = [ours, theirs].map((runs) => median(runs.map((run) => run.p99)));
  return lineOf([
    workload,
    against,
    `${median(ratios).toFixed(2)} (${percentile(ratios, 0.25).toFixed(2)} to ${percentile(ratios, 0.75).toFixed(2)})`,
    wanted === undefined ? '' : `${isLatency ? 'at most ' : ''}${wanted}`,
    cpu.length > 0 ? median(cpu).toFixed(2) : '',
    shown(ours),
    shown(theirs),
    // Commits are not requests, and have no latency.
    isLatency
      ? ''
      : p99s
          .filter((p99) => !Number.isNaN(p99))
          .map((p99) => p99.toFixed(1))
          .join(', '),
  ]);
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
