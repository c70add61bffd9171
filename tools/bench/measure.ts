import { isDeepStrictEqual } from 'node:util';
import { type Comparison, IS_QUICK, type Side } from './comparisons.ts';
import { type Contender, startContender } from './contender.ts';
import { countEvents, vacuum } from './databases.ts';
import { ask, type Limit, load, type Request, type Run } from './load.ts';
import { median, type Result } from './report.ts';

// With short runs, all sides of a round are measured at nearly the same time. Of each, as many requests are measured as the
// gateway answers in this time, because what they add to a database makes later ones slower.
const SECONDS = IS_QUICK ? 0.2 : 0.4;

// After as many requests, V8 compiles hardly any more functions.
const WARM_UP_REQUESTS = IS_QUICK ? 10_000 : 100_000;

// No two sides send the same updates: those with one database would find the titles that the other one has set. The number is
// no multiple of the wallets, so that each side has other tokens as well.
const REQUESTS_PER_SIDE = 1_070_000;

// Of each workload, before its measurement.
const AGAIN_REQUESTS = 5000;

// Of each workload, by all servers.
const CHECKED_REQUESTS = 50;

/** The servers of a benchmark. Each is started by its first use. */
export class Contenders {
  readonly #started = new Map<string, Promise<Contender>>();
  readonly #positions = new Map<Side, number>();

  of({ server, data: { url }, ...own }: Omit<Side, 'requests'>): Promise<Contender> {
    const key = [server, url, own.hasLog].join();
    const started = this.#started.get(key) ?? startContender(server, url, own);
    this.#started.set(key, started);
    return started;
  }

  async stop(): Promise<void> {
    for (const started of this.#started.values()) await (await started).stop();
  }

  /** Sends the requests of comparisons to their servers in turn, so that each server compiles all that it needs. */
  async warmUp(comparisons: readonly Comparison[]): Promise<void> {
    const sidesOf = new Map<Contender, Side[]>();
    for (const { gateway, others } of comparisons) {
      for (const side of [gateway, ...others]) {
        const contender = await this.of(side);
        sidesOf.set(contender, [...(sidesOf.get(contender) ?? []), side]);
      }
    }
    for (const [contender, sides] of sidesOf) {
      progress(`warming up ${contender.name}`);
      let n = 0;
      const next = () => this.#next(sides[n++ % sides.length] as Side);
      await load(contender, next, { requests: WARM_UP_REQUESTS });
    }
    const databases = new Set(
      comparisons.flatMap(({ gateway, others }) => [gateway, ...others]).map(({ data }) => data.url),
    );
    for (const url of databases) await vacuum(url);
  }

  /** Measures the sides of a comparison in turn. Returns a result for each other side. */
  async compare(comparison: Comparison, rounds: number): Promise<readonly Result[]> {
    const { name, gateway, others } = comparison;
    const sides = [gateway, ...others];
    const runs = new Map<Side, Run[]>(sides.map((each) => [each, []]));
    // V8 drops compiled code that has not run for some time, such as during the warm-up of the other servers.
    for (const each of sides) await this.#measure(each, comparison, { requests: AGAIN_REQUESTS });
    const { responses: requests } = await this.#measure(gateway, comparison, { seconds: SECONDS });
    for (let round = 0; round < rounds; round += 1) {
      progress(`${name}: round ${round + 1} of ${rounds}`);
      // Each round starts with another side, so that no side always follows the same one.
      for (let n = 0; n < sides.length; n += 1) {
        const each = sides[(n + round) % sides.length];
        if (each !== undefined) runs.get(each)?.push(await this.#measure(each, comparison, { requests }));
      }
    }
    progress('');
    const ours = runs.get(gateway) ?? [];
    if (comparison.makesEvents) {
      for (const [side, ofSide] of runs) {
        const events = median(ofSide.flatMap((run) => run.events ?? []));
        // Equal acts of a minute can be one event. Such a load would not be equal work.
        if (events < 0.99)
          throw new Error(`${name}: ${side.server} makes ${events} events per response, not 1.`);
      }
    }
    return others.map((other) => ({
      workload: name,
      against: other.label,
      target: other.target,
      ours,
      theirs: runs.get(other) ?? [],
    }));
  }

  /** @throws if a server, other than the one that repeats responses, answers a request differently than the gateway */
  async checkResponses({ gateway, others }: Comparison): Promise<void> {
    for (let n = 0; n < CHECKED_REQUESTS; n += 1) {
      const response = await ask(await this.of(gateway), gateway.requests(n));
      for (const other of others) {
        if (other.responses !== undefined) continue;
        const answer = await ask(await this.of(other), other.requests(n));
        if (!isDeepStrictEqual(answer, response)) {
          throw new Error(
            `${other.server} answers ${JSON.stringify(answer)}, not ${JSON.stringify(response)}`,
          );
        }
      }
    }
  }

  async #measure(side: Side, { makesEvents }: Comparison, limit: Limit): Promise<Run> {
    const contender = await this.of(side);
    const next = () => this.#next(side);
    const { url } = side.data;
    if (!makesEvents || url === '') return load(contender, next, limit);
    const before = await countEvents(url);
    const run = await load(contender, next, limit);
    return { ...run, events: ((await countEvents(url)) - before) / run.responses };
  }

  /** Makes the next request of a side, which goes on where the last run has ended. */
  #next(side: Side): Request {
    const position = this.#positions.get(side) ?? this.#positions.size * REQUESTS_PER_SIDE;
    this.#positions.set(side, position + 1);
    return side.requests(position);
  }
}

export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
  else if (text !== '') process.stderr.write(`${text}\n`);
}
