import { readFileSync } from 'node:fs';
import type { Gateway } from './gateway.ts';
import { LONG_TIMEOUT } from './long-deadlines.ts';
import { graphqlBody } from './requests.ts';

/** An event that was followed. */
export type FollowedEvent = { readonly id: string; readonly action: string; readonly count: number };

/** The time after which an event is settled: more than two minutes, and twice the deadline of a request. */
export const SETTLED_MS = 120_001 + 2 * LONG_TIMEOUT.postgres.timeoutMs;

type Follow = (
  request: (query: string, variables: object) => Promise<unknown>,
  handle: (event: FollowedEvent) => void,
  before?: string,
) => Promise<string>;

const TEXT = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');

const [, PROGRAM = ''] = /^## Following events$.*?^```js$(.*?)^```$/ms.exec(TEXT) ?? [];

/** Follows the events of an account by the program in the documentation. */
export class Follower {
  readonly events: FollowedEvent[] = [];
  readonly #follow: Follow;
  readonly #token: string;
  #before: string | undefined;

  /** @param program the text of the program */
  constructor(token: string, program = PROGRAM) {
    this.#token = token;
    this.#follow = new Function(`${program}; return follow`)();
  }

  /** Calls the program once. */
  async poll({ url }: Pick<Gateway, 'url'>): Promise<void> {
    const request = async (query: string, variables: object) =>
      (await graphqlBody(url, this.#token, query, variables)).data;
    this.#before = await this.#follow(request, (event) => this.events.push(event), this.#before);
  }
}

/** Returns a follower that does not wait until events are settled. */
export function impatientFollower(token: string): Follower {
  return new Follower(token, PROGRAM.replace('settled: true', 'settled: false'));
}
