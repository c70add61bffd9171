import { isDeepStrictEqual } from 'node:util';
import { type Comparison, IS_QUICK, type Side } from './comparisons.ts';
import { type Contender, startContender } from './contender.ts';
import { ask, type Limit, load, type Run } from './load.ts';
import type { Result } from './report.ts';

// With short runs, all sides of a round are measured at nearly the same time. Of each, as many requests are measured as the
// gateway answers in this time, because what they add to a database makes later ones slower.
const SECONDS = IS_QUICK ? 0.2 : 0.4;

// After as many requests, V8 compiles hardly any more functions.
const WARM_UP_REQUESTS = IS_QUICK ? 10_000 : 100_000;

/** The servers of a benchmark. Each is started by its first use. */
export class Contenders {
  readonly #started = new Map<string, Promise<Contender>>();

  of({ server, data: { url }, ...own }: Omit<Side, 'requests'>): Promise<Contender> {
    const key = [server, url].join();
    const started = this.#started.get(key) ?? startContender(server, url, own);
    this.#started.set(key, started);
    return started;
  }

  async stop(): Promise<void> {
    for (const started of this.#started.values()) await (await started).stop();
  }

  /** Sends the requests of comparisons to their servers in turn, so that each server compiles all that it needs. */
  async warmUp(comparisons: readonly Comparison[]): Promise<void> {
    const requestsOf = new Map<Contender, Side['requests'][]>();
    for (const { gateway, others } of comparisons) {
      for (const side of [gateway, ...others]) {
        const contender = await this.of(side);
        requestsOf.set(contender, [...(requestsOf.get(contender) ?? []), side.requests]);
      }
    }
    for (const [contender, lists] of requestsOf) {
      progress(`warming up ${contender.name}`);
      const longest = Math.max(...lists.map(({ length }) => length));
      const mixed = Array.from({ length: longest }, (_, n) =>
        lists.map((requests) => requests[n % requests.length] as Side['requests'][number]),
      );
      await load(contender, mixed.flat(), { requests: Math.max(WARM_UP_REQUESTS, 2 * longest) });
    }
  }

  /** Measures the sides of a comparison in turn. Returns a result for each other side. */
  async compare({ name, gateway, others }: Comparison, rounds: number): Promise<readonly Result[]> {
    const sides = [gateway, ...others];
    const runs = new Map<Side, Run[]>(sides.map((each) => [each, []]));
    const { responses: requests } = await this.#measure(gateway, { seconds: SECONDS });
    for (let round = 0; round < rounds; round += 1) {
      progress(`${name}: round ${round + 1} of ${rounds}`);
      // Each round starts with another side, so that no side always follows the same one.
      for (let n = 0; n < sides.length; n += 1) {
        const each = sides[(n + round) % sides.length];
        if (each !== undefined) runs.get(each)?.push(await this.#measure(each, { requests }));
      }
    }
    progress('');
    const ours = runs.get(gateway) ?? [];
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
    for (const [n, request] of gateway.requests.slice(0, 50).entries()) {
      const response = await ask(await this.of(gateway), request);
      for (const other of others) {
        if (other.responses !== undefined) continue;
        const answer = await ask(await this.of(other), other.requests[n] ?? request);
        if (!isDeepStrictEqual(answer, response)) {
          throw new Error(
            `${other.server} answers ${JSON.stringify(answer)}, not ${JSON.stringify(response)}`,
          );
        }
      }
    }
  }

  async #measure(side: Side, limit: Limit): Promise<Run> {
    return load(await this.of(side), side.requests, limit);
  }
}

export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
  else if (text !== '') process.stderr.write(`${text}\n`);
}
