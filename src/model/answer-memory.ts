import { crc32 } from 'node:zlib';
import { LruCache } from './lru-cache.ts';
import type { Principal } from './principal.ts';

// Of what was asked and of the answers: some 1,000 pages.
const MAX_CHARACTERS = 4_000_000;

// Some times as many as there is room for.
const MOST_CANDIDATES = 4096;

/** An answer, and whether it would be the same again for as long as the data are. */
export type Answer = { readonly text: string; readonly isLasting: boolean };

/**
 * The answers of one face that were given lately. They hold until anything is committed,
 * since they depend on nothing but who asks, what is asked, and what is stored. What is
 * asked for the first time is not kept: whoever goes through a long list asks but once.
 */
export class AnswerMemory {
  readonly #dataVersion: () => Promise<number | undefined>;
  readonly #answers = new LruCache<Answer>(MAX_CHARACTERS);
  #keptVersion: number | undefined;
  /** Checksums of what has been asked for, each in a place that others may take. */
  readonly #candidates = new Uint32Array(MOST_CANDIDATES);

  /** @param dataVersion returns the version of what is stored, or undefined if it cannot be told */
  constructor(dataVersion: () => Promise<number | undefined>) {
    this.#dataVersion = dataVersion;
  }

  /**
   * Returns what `make` makes, or what it made before of the same data.
   *
   * @param asked all that the answer depends on, beside who asks and what is stored
   */
  async answer<A extends Answer | undefined>(
    principal: Principal,
    asked: Buffer | string,
    make: () => Promise<A>,
  ): Promise<A | Answer> {
    const { accountId } = principal;
    const who = principal.level === 'project' ? `${accountId} ${principal.projectId}` : accountId;
    const version = await this.#dataVersion();
    if (version === undefined || !this.#isAskedAgain(who, asked)) return make();

    // Each byte is a character, so that no two questions are the same text.
    const key = `${who} ${asked.toString('latin1')}`;
    const known = version === this.#keptVersion ? this.#answers.get(key) : undefined;
    if (known !== undefined) return known;
    const answer = await make();
    // What has been committed in the meantime may be in the answer, or in a part of it.
    if (answer?.isLasting && (await this.#dataVersion()) === version) this.#keep(version, key, answer);
    return answer;
  }

  #isAskedAgain(who: string, asked: Buffer | string): boolean {
    const checksum = crc32(asked, crc32(who));
    const place = checksum % MOST_CANDIDATES;
    if (this.#candidates[place] === checksum) return true;
    this.#candidates[place] = checksum;
    return false;
  }

  #keep(version: number, key: string, answer: Answer): void {
    if (version !== this.#keptVersion) this.#answers.clear();
    this.#keptVersion = version;
    this.#answers.set(key, answer, key.length + answer.text.length);
  }
}
