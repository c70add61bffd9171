import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { ApiError } from '../model/errors.ts';

// Source: OWASP Password Storage Cheat Sheet, Argon2id: 19 MiB, 2 passes, 1 lane.
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;

// Each hash takes 19 MiB and one of the four threads of libuv's pool, which file access and DNS use, too.
const MAX_RUNNING = 2;

const MAX_WAITING = 100;

const MAX_WAITING_OF_ACCOUNT = 25;

const derive = promisify(argon2);

/** Hashes wallet passwords in the thread pool, two at a time. The others wait in the order of their requests. */
export class PasswordHasher {
  readonly #waiting: { readonly accountId: string; readonly start: () => void }[] = [];
  #running = 0;

  /**
   * Returns the Argon2id hash of a password, in the PHC string format.
   *
   * @throws RESOURCE_EXHAUSTED if 25 passwords of the account are waiting
   * @throws UNAVAILABLE if 100 passwords of all accounts are waiting
   */
  async hash(password: string, accountId: string): Promise<string> {
    if (this.#running < MAX_RUNNING) this.#running += 1;
    else await this.#wait(accountId);
    try {
      return await hashPassword(password);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next.start();
    }
  }

  #wait(accountId: string): Promise<void> {
    const ofAccount = this.#waiting.filter((waiting) => waiting.accountId === accountId);
    if (ofAccount.length >= MAX_WAITING_OF_ACCOUNT) throw new ApiError('TOO_MANY_PASSWORDS');
    if (this.#waiting.length >= MAX_WAITING) throw new ApiError('OVERLOADED');
    return new Promise((start) => this.#waiting.push({ accountId, start }));
  }
}

async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await derive('argon2id', {
    message: password,
    nonce: salt,
    parallelism: LANES,
    tagLength: 32,
    memory: MEMORY_KIB,
    passes: PASSES,
  });
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpaddedBase64(salt)}$${unpaddedBase64(tag)}`;
}

function unpaddedBase64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
