import { LruCache } from '../model/lru-cache.ts';
import type { Principal } from '../model/principal.ts';

// Of what was asked and of its answers: a few thousand pages.
const MAX_CHARACTERS = 4_000_000;

/** Where an answer has its place: what it was asked for, by whom, and at which version of the data. */
export type Place = { readonly dataVersion: number; readonly asked: string };

/** The place of the answer to a request, whose bytes say all that is asked for. */
export function placeOf(dataVersion: number, principal: Principal, body: Buffer): Place {
  const { accountId } = principal;
  const projectId = principal.level === 'project' ? principal.projectId : '';
  // Each byte is a character, so that no two requests are the same text.
  return { dataVersion, asked: `${accountId} ${projectId} ${body.toString('latin1')}` };
}

/**
 * The answers to queries that were given lately. They hold until anything is committed,
 * since an answer depends on nothing but who asks, what is asked, and what is stored.
 */
export class AnswerMemory {
  readonly #answers = new LruCache<string>(MAX_CHARACTERS);
  #dataVersion: number | undefined;

  find({ dataVersion, asked }: Place): string | undefined {
    return dataVersion === this.#dataVersion ? this.#answers.get(asked) : undefined;
  }

  /** To be called if the data are still at the version of the place, which is then the latest. */
  keep({ dataVersion, asked }: Place, answer: string): void {
    if (dataVersion !== this.#dataVersion) this.#answers.clear();
    this.#dataVersion = dataVersion;
    this.#answers.set(asked, answer, asked.length + answer.length);
  }
}
