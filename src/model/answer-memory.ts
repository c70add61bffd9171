import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { LruCache } from './lru-cache.ts';
import type { Principal } from './principal.ts';

// With their keys: some 1,000 pages.
const MAX_CHARACTERS = 4_000_000;

// Some times as many as there is room for pages.
const CANDIDATE_PLACES = 4096;

/** An answer, and whether it would be the same again for as long as the data are. */
export type Answer = { readonly text: string; readonly isLasting: boolean };

/**
 * The answers of one face that were given lately. They stand until anything is committed,
 * since they depend on nothing but who asks, what is asked, and what is stored. What is
 * asked for the first time is not kept: whoever goes through a long list asks but once.
 */
export class AnswerMemory {
  readonly #dataVersion: () => Promise<number | undefined>;
  /** All of them are of the data at this version. */
  #version: number | undefined;
  readonly #answers = new LruCache<string>(MAX_CHARACTERS);
  /** Checksums of what has been asked for, each in a place that others may take. */
  readonly #candidates = new Uint32Array(CANDIDATE_PLACES);

  /** @param dataVersion as `DataLayer.dataVersion` */
  constructor(dataVersion: () => Promise<number | undefined>) {
    this.#dataVersion = dataVersion;
  }

  /**
   * Returns what `make` makes, or what it made before of the same data.
   *
   * @param asked all that the answer depends on, beside who asks and what is stored
   */
  async answer(
    principal: Principal,
    asked: Buffer | string,
    make: () => Promise<Answer | undefined>,
  ): Promise<string | undefined> {
    const version = await this.#dataVersion();
    if (version !== this.#version) this.#answers.clear();
    this.#version = version;

    const projectId = principal.level === 'project' ? principal.projectId : '-';
    const who = `${principal.accountId} ${projectId}`;
    if (version === undefined || !this.#isAskedAgain(who, asked)) return (await make())?.text;
    // What is asked may hold what is secret, and be long.
    const key = `${who} ${hash('sha256', asked, 'base64')}`;
    const known = this.#answers.get(key);
    if (known !== undefined) return known;

    const answer = await make();
    // What has been committed in the meantime may be in the answer, or in a part of it.
    if (answer?.isLasting && (await this.#isStillAt(version))) {
      this.#answers.set(key, answer.text, key.length + answer.text.length);
    }
    return answer?.text;
  }

  #isAskedAgain(who: string, asked: Buffer | string): boolean {
    const checksum = crc32(asked, crc32(who));
    const place = checksum % CANDIDATE_PLACES;
    if (this.#candidates[place] === checksum) return true;
    this.#candidates[place] = checksum;
    return false;
  }

  async #isStillAt(version: number): Promise<boolean> {
    try {
      return (await this.#dataVersion()) === version && this.#version === version;
    } catch {
      // The answer was made before the outage, and is good.
      return false;
    }
  }
}
