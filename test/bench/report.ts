import type { Run } from './load.ts';

/** The runs of the gateway and of another, round by round. */
export type Result = {
  readonly workload: string;
  readonly against: string;
  readonly atLeast: number | undefined;
  readonly ours: readonly Run[];
  readonly theirs: readonly Run[];
};

/** A table in Markdown: medians of the ratios within each round, with the least and the greatest. */
export function report(results: readonly Result[]): string {
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
  const head = ['workload', 'against', 'ratio', 'at least', 'CPU ratio', 'gateway/s', 'other/s'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The value in the middle, or halfway between the two there. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return ((sorted[middle] ?? 0) + (sorted[sorted.length - 1 - middle] ?? 0)) / 2;
}
