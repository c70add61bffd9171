import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { tooManyPasswords } from '../model/api-error.ts';

/** Hashes wallet passwords. */
export type PasswordHasher = {
  /**
   * Returns the Argon2id hash of a password, in the PHC string format.
   * @throws RESOURCE_EXHAUSTED if the queue is full
   */
  hash(password: string): Promise<string>;
};

// Source: OWASP Password Storage Cheat Sheet, Argon2id: 19 MiB, 2 passes, 1 lane.
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;

// Each hash takes 19 MiB and one of the four threads of libuv's pool, which file access and DNS use, too.
const MAX_CONCURRENT = 2;

const derive = promisify(argon2);

/**
 * Returns a hasher that runs in the thread pool, with at most two hashes at the same time.
 *
 * @param queueLength the maximum number of waiting passwords; further ones are rejected
 */
export function passwordHasher(queueLength: number): PasswordHasher {
  let running = 0;
  const queue: (() => void)[] = [];

  async function acquire(): Promise<void> {
    if (running < MAX_CONCURRENT) {
      running += 1;
      return;
    }
    if (queue.length >= queueLength) {
      throw tooManyPasswords();
    }
    // `release` passes the slot on to the next waiting password without a change of `running`.
    await new Promise<void>((resolve) => queue.push(resolve));
  }

  function release(): void {
    const next = queue.shift();
    if (next) next();
    else running -= 1;
  }

  return {
    async hash(password) {
      await acquire();
      try {
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
      } finally {
        release();
      }
    },
  };
}

function unpaddedBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
