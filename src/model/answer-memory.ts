import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { LruCache } from './lru-cache.ts';
import type { Principal } from './principal.ts';

// With their keys: some 1,000 pages.
const MAX_CHARACTERS = 4_000_000;

// Some times as many as there is room for pages.
const MOST_ASKED = 4000;

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
  /** Checksums of what has been asked for lately, and of what was before that. */
  #asked = new Set<number>();
  #askedBefore = new Set<number>();

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
    if (version === undefined) return (await make())?.text;

    const projectId = principal.level === 'project' ? principal.projectId : '-';
    // What is asked may hold what is secret, and be long.
    const key = `${principal.accountId} ${projectId} ${hash('sha256', asked, 'base64')}`;
    const known = this.#answers.get(key);
    if (known !== undefined) return known;

    const answer = await make();
    // What has been committed in the meantime may be in the answer, or in a part of it.
    if (answer?.isLasting && this.#isAskedAgain(key) && (await this.#isStillAt(version))) {
      this.#answers.set(key, answer.text, key.length + answer.text.length);
    }
    return answer?.text;
  }

  #isAskedAgain(key: string): boolean {
    const checksum = crc32(key);
    if (this.#asked.has(checksum) || this.#askedBefore.has(checksum)) return true;
    if (this.#asked.size === MOST_ASKED) {
      this.#askedBefore = this.#asked;
      this.#asked = new Set();
    }
    this.#asked.add(checksum);
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
