import type { Run } from './load.ts';

/** The runs of the gateway and of another, round by round. */
export type Result = {
  readonly workload: string;
  readonly against: string;
  readonly atLeast: number | undefined;
  readonly ours: readonly Run[];
  readonly theirs: readonly Run[];
};

const HEAD = ['workload', 'against', 'ratio', 'at least', 'CPU ratio', 'gateway/s', 'other/s'];

/** The head of the table, in Markdown. */
export const tableHead = [HEAD, HEAD.map(() => '---')].map(lineOf).join('\n');

/** Rows of the table: medians of the ratios within each round, with the least and the greatest. */
export function tableRows(results: readonly Result[]): string {
  const rows = results.map(({ workload, against, atLeast, ours, theirs }) => {
    const ratios = ours.map((run, n) => run.rate / (theirs[n]?.rate ?? Number.NaN));
    const cpu = ours.map((run, n) => run.cpuMicros / (theirs[n]?.cpuMicros ?? Number.NaN));
    return [
      workload,
      against,
      `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
      atLeast?.toString() ?? '',
      Number.isNaN(median(cpu)) ? '' : median(cpu).toFixed(2),
      Math.round(median(ours.map(({ rate }) => rate))).toString(),
      Math.round(median(theirs.map(({ rate }) => rate))).toString(),
    ];
  });
  return rows.map(lineOf).join('\n');
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** The value in the middle, or halfway between the two there. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return ((sorted[middle] ?? 0) + (sorted[sorted.length - 1 - middle] ?? 0)) / 2;
}
