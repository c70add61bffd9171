import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { tooManyPasswords } from '../model/api-error.ts';

/** Hashes wallet passwords. */
export type PasswordHasher = {
  /**
   * Returns the Argon2id hash of a password in the PHC string format.
   * @throws RESOURCE_EXHAUSTED if too many passwords are waiting already
   */
  hash(password: string): Promise<string>;
};

// The first choice of the OWASP Password Storage Cheat Sheet: 19 MiB, 2 passes, 1 lane.
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;

// Each takes a thread of the pool that also serves files and names, and 19 MiB.
const AT_ONCE = 2;

const derive = promisify(argon2);

/**
 * Hashes passwords off the event loop, two at once.
 *
 * @param queueLength how many may wait for their turn before more are refused
 */
export function passwordHasher(queueLength: number): PasswordHasher {
  let running = 0;
  const waiting: (() => void)[] = [];

  async function turn(): Promise<void> {
    if (running < AT_ONCE) {
      running += 1;
      return;
    }
    if (waiting.length >= queueLength) {
      throw tooManyPasswords();
    }
    // Whoever finishes hands the place on, so that `running` stays as it is.
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function done(): void {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }

  return {
    async hash(password) {
      await turn();
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
        return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpadded(salt)}$${unpadded(tag)}`;
      } finally {
        done();
      }
    },
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
