import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { type TurnLimits, turns } from './turns.ts';

/** Hashes wallet passwords. */
export type PasswordHasher = {
  /**
   * Returns the Argon2id hash of a password, in the PHC string format. The accounts take turns, so
   * that the passwords of one account do not delay those of others.
   *
   * @param accountId the account for which the password is hashed
   * @param signal removes the password from the queue when it aborts
   * @throws RESOURCE_EXHAUSTED if too many passwords of the account are waiting
   * @throws UNAVAILABLE if too many passwords of all accounts are waiting, or if the signal has aborted
   */
  hash(password: string, accountId: string, signal: AbortSignal): Promise<string>;
  /** Returns the number of passwords that wait to be hashed. */
  waitingCount(): number;
};

// Source: OWASP Password Storage Cheat Sheet, Argon2id: 19 MiB, 2 passes, 1 lane.
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;

// Each hash takes 19 MiB and one of the four threads of libuv's pool, which file access and DNS use, too.
const MAX_CONCURRENT = 2;

const derive = promisify(argon2);

/** Returns a hasher that runs in the thread pool, with at most two hashes at the same time. */
export function passwordHasher(limits: Omit<TurnLimits, 'running'>): PasswordHasher {
  const { run, waitingCount } = turns({ running: MAX_CONCURRENT, ...limits });
  return {
    hash: (password, accountId, signal) => run(accountId, signal, () => hashPassword(password)),
    waitingCount,
  };
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
  return bytes.toString('base64').replace(/=+$/, '');
}
