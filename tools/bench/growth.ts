import type { Comparison } from './comparisons.ts';
import { type BenchData, makeBenchData } from './data.ts';
import { type Contenders, progress } from './measure.ts';
import type { Result } from './report.ts';
import * as workloads from './workloads.ts';

/** The numbers of the wallets and events of an account. */
const SIZES = [10_000, 100_000, 1_000_000];

const PROJECTS = 10_000;

const WORKLOADS: Readonly<Record<string, (data: BenchData) => workloads.Requests>> = {
  'REST update': ({ account }) => workloads.restUpdates([account]),
  'Title search': workloads.titleSearches,
  'Wallet by reference': workloads.referenceLookUps,
  'Events of a time': workloads.eventPages,
  createWallet: workloads.walletCreations,
};

/**
 * Measures requests to accounts of several sizes in turn. The largest is compared with the others.
 *
 * @param urls the databases of each engine, one for each size
 */
export async function measureGrowth(
  contenders: Contenders,
  urls: Readonly<Record<string, readonly string[]>>,
  rounds: number,
): Promise<readonly Result[]> {
  const comparisons: Comparison[] = [];
  for (const [engine, databases] of Object.entries(urls)) {
    const sizes = [];
    for (const [index, size] of SIZES.entries()) {
      progress(`${engine}: making ${size} wallets`);
      sizes.push({ size, data: await makeBenchData(databases[index] ?? '', PROJECTS, size) });
    }
    for (const [name, requestsOf] of Object.entries(WORKLOADS)) {
      const [largest, ...others] = sizes
        .map(({ size, data }) => ({
          server: 'gateway',
          data,
          requests: requestsOf(data),
          label: `${size.toLocaleString('en')} wallets`,
        }))
        .toReversed();
      if (largest) comparisons.push({ name: `${name}, ${engine}`, gateway: largest, others });
    }
  }
  await contenders.warmUp(comparisons);
  const results: Result[] = [];
  for (const comparison of comparisons) results.push(...(await contenders.compare(comparison, rounds)));
  return results;
}
