import { IS_QUICK } from './comparisons.ts';
import { type Contender, startContender } from './contender.ts';
import { type BenchData, makeBenchData } from './data.ts';
import { load, type Request, type Run } from './load.ts';
import { progress } from './measure.ts';
import { lineOf, median } from './report.ts';
import { type Requests, restPages, restUpdates } from './workloads.ts';

// The instances of a group share a port, and all groups a database. The load generator shares the cores with them.

const COUNTS = [1, 2, 4, 8];

const [ROUNDS, SECONDS, WARM_UP_REQUESTS] = IS_QUICK ? [3, 0.4, 1000] : [15, 0.4, 3000];

const PROJECTS = 10_000;

const PAGES = 900;

/** Of 20 requests of the mixed load, one is an update. */
const PAGES_PER_UPDATE = 19;

const HEAD = ['engine', 'load', 'instances', 'requests/s', 'of one', 'µs', 'of one', 'p99 in ms'];

type Group = { readonly count: number; readonly contender: Contender };

/** Measures 1, 2, 4 and 8 instances in turn on each engine. Returns a table. @param urls the databases by engine */
export async function measureInstances(urls: Readonly<Record<string, string>>): Promise<string> {
  const rows: string[] = [];
  for (const [engine, url] of Object.entries(urls)) rows.push(...(await rowsOf(engine, url)));
  return [lineOf(HEAD), lineOf(HEAD.map(() => '---')), ...rows].join('\n');
}

async function rowsOf(engine: string, url: string): Promise<readonly string[]> {
  const data = await makeBenchData(url, PROJECTS);
  const groups: Group[] = [];
  const rows: string[] = [];
  try {
    for (const count of COUNTS) groups.push({ count, contender: await startInstances(url, count) });
    const loads = loadsOf(data);
    for (const { contender, count } of groups) {
      progress(`${engine}: warming up ${count}`);
      for (const next of Object.values(loads))
        await load(contender, next, { requests: WARM_UP_REQUESTS * count });
    }
    for (const [name, next] of Object.entries(loads)) {
      const runs = new Map<Group, Run[]>(groups.map((group) => [group, []]));
      for (let round = 0; round < ROUNDS; round += 1) {
        progress(`${engine}, ${name}: round ${round + 1} of ${ROUNDS}`);
        // Each round starts with another group, so that none always follows the same one.
        for (let n = 0; n < groups.length; n += 1) {
          const group = groups[(n + round) % groups.length] as Group;
          runs.get(group)?.push(await load(group.contender, next, { seconds: SECONDS }));
        }
      }
      const [one = []] = runs.values();
      rows.push(
        ...[...runs].map(([{ count }, its]) => lineOf([engine, name, String(count), ...cellsOf(its, one)])),
      );
    }
  } finally {
    progress('');
    for (const { contender } of groups) await contender.stop();
  }
  return rows;
}

function cellsOf(runs: readonly Run[], one: readonly Run[]): readonly string[] {
  const of = (value: (run: Run) => number) => median(runs.map(value));
  const ratio = (value: (run: Run) => number) =>
    median(runs.map((run, n) => value(run) / value(one[n] ?? run))).toFixed(2);
  const [rate, cpu] = [(run: Run) => run.rate, (run: Run) => run.cpuMicros];
  return [of(rate).toFixed(0), ratio(rate), of(cpu).toFixed(0), ratio(cpu), of(({ p99 }) => p99).toFixed(1)];
}

/** Starts instances on one port and all cores, and returns them as one contender. */
async function startInstances(url: string, count: number): Promise<Contender> {
  const first = await startContender('gateway', url, { sharedPort: '0' });
  const { port } = new URL(first.url);
  const others = Array.from({ length: count - 1 }, () =>
    startContender('gateway', url, { sharedPort: port }),
  );
  const all = [first, ...(await Promise.all(others))];
  return {
    name: `${count} instances`,
    url: first.url,
    cpuSeconds: () => all.reduce((sum, each) => sum + each.cpuSeconds(), 0),
    heap: first.heap,
    stop: async () => void (await Promise.all(all.map((each) => each.stop()))),
  };
}

/** Returns functions that make the next request of a load. */
function loadsOf(data: BenchData): Readonly<Record<string, () => Request>> {
  const [nextPage, nextUpdate] = [inOrder(restPages(data, PAGES)), inOrder(restUpdates([data.account]))];
  const nextOfMix = inOrder((n) => (n % (PAGES_PER_UPDATE + 1) === 0 ? nextUpdate() : nextPage()));
  return { 'REST page of 10': nextPage, 'REST update': nextUpdate, '19 pages, 1 update': nextOfMix };
}

function inOrder(requests: Requests): () => Request {
  let n = 0;
  return () => requests(n++);
}
