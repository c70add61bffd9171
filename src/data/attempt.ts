import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createSeal } from '../credentials/sealed-text.ts';
import {
  type ApiError,
  idempotencyKeyInUse,
  idempotencyKeyReused,
  invalidFields,
  keptResponseTooLarge,
  tooManyIdempotencyKeys,
} from '../model/api-error.ts';
import type { Principal } from '../model/principal.ts';
import type { Ulid } from '../model/resource-name.ts';
import type { Database } from '../storage/database.ts';
import {
  countResponses,
  findResponse,
  type IdempotencyKeyId,
  insertResponse,
} from '../storage/idempotency-keys.ts';
import { lazyTransaction } from '../storage/lazy-transaction.ts';
import type { Attempt, IdempotentRequest, Operations } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import { type FailedSignIn, recordFailedSignIn } from './failed-sign-in.ts';
import type { RecordFailure } from './sign-in.ts';

const KEY_TTL_MS = 24 * 3_600_000;

const KEY_PATTERN = /^[!-~]{1,255}$/;

/** The maximum size of a kept response, in UTF-16 units. Every response of the REST API fits. */
const MAX_RESPONSE_LENGTH = 16_384;

/** The maximum number of kept responses of an account. */
const MAX_RESPONSES = 50_000;

const MAX_COUNTED_ACCOUNTS = 10_000;

// A count at the limit reads 50,000 rows.
const RECOUNT_INTERVAL_MS = 30_000;

type ResponseCount = {
  /** The responses when they were counted, and those that this process has added. */
  responses: number;
  /** The time of the count: Unix time in milliseconds. */
  readonly timeMs: number;
};

/**
 * Returns `DataLayer.attempt`. The operations of an attempt and the response to its request are one transaction, so that
 * a process that is killed leaves either both or none.
 *
 * @param operations returns the operations with other dependencies
 * @returns a function that takes the database of the request, too
 */
export function attempts(
  dependencies: Dependencies,
  operations: (dependencies: Dependencies, recordFailure: RecordFailure) => Operations,
): (database: Database, principal: Principal, request: IdempotentRequest) => Promise<Attempt> {
  const { database: lasting, clock, passwords } = dependencies;
  // The attempts of this process. Those of other processes are noticed when the response is stored.
  const running = new Set<string>();
  const counts = new LRUCache<Ulid, ResponseCount>({ max: MAX_COUNTED_ACCOUNTS });

  async function assertSpace(database: Database, accountId: Ulid): Promise<void> {
    let count = counts.get(accountId);
    const isFull = count !== undefined && count.responses >= MAX_RESPONSES;
    // Responses expire, so they are counted again at the limit.
    if (count === undefined || (isFull && clock() - count.timeMs >= RECOUNT_INTERVAL_MS)) {
      count = { responses: await countResponses(database, accountId, MAX_RESPONSES), timeMs: clock() };
      counts.set(accountId, count);
    }
    if (count.responses >= MAX_RESPONSES) throw tooManyIdempotencyKeys();
  }

  return async (database, principal, { key, bearerToken, content }): Promise<Attempt> => {
    const id = idOfKey(principal, key);
    const seal = createSeal(bearerToken, key, content);
    const name = Object.values(id).join();
    if (running.has(name)) throw idempotencyKeyInUse();
    running.add(name);
    try {
      const kept = await findResponse(database, id, clock());
      if (kept !== undefined) {
        const response = seal.open(kept);
        if (response === undefined) throw idempotencyKeyReused();
        // On SQLite, a read can see what another process has not synced yet. A transaction ends with a sync.
        await database.transaction(async () => {});
        running.delete(name);
        return { response };
      }
      await assertSpace(database, id.accountId);
    } catch (error) {
      running.delete(name);
      throw error;
    }

    const transaction = lazyTransaction(database);
    // Recorded after the end of the transaction, which would undo the record, or hold it up.
    const failures: FailedSignIn[] = [];
    const recordLater: RecordFailure = async (failure) => {
      failures.push(failure);
    };
    const passwordsBeforeWrites: Dependencies['passwords'] = {
      hash: async (...args) => {
        // The transaction would hold its locks while the password waits for its turn.
        if (transaction.hasBegun()) throw passwordAfterWrite();
        return passwords.hash(...args);
      },
    };
    let isEnded = false;
    const abandon = async () => {
      // A later attempt with the same key may be running already.
      if (isEnded) return;
      isEnded = true;
      await transaction.rollBack();
      running.delete(name);
      // Also if the client has gone.
      for (const failure of failures.splice(0)) await recordFailedSignIn(lasting, failure);
    };
    return {
      data: operations(
        { ...dependencies, database: transaction.database, passwords: passwordsBeforeWrites },
        recordLater,
      ),
      abandon,
      async keep(response) {
        try {
          if (response.length > MAX_RESPONSE_LENGTH) throw keptResponseTooLarge(MAX_RESPONSE_LENGTH);
          await transaction.commit(async (last) => {
            const isNew = await insertResponse(last, id, seal.seal(response), clock(), KEY_TTL_MS);
            // Another process was faster. Its response is there for a retry.
            if (!isNew) throw idempotencyKeyInUse();
          });
          const count = counts.get(id.accountId);
          if (count !== undefined) count.responses += 1;
        } finally {
          await abandon();
        }
      },
    };
  };
}

function passwordAfterWrite(): ApiError {
  return invalidFields([
    {
      field: 'password',
      description: 'Must be in the first mutation of a request with an Idempotency-Key.',
    },
  ]);
}

function idOfKey(principal: Principal, key: string): IdempotencyKeyId {
  if (!KEY_PATTERN.test(key)) {
    throw invalidFields([
      { field: 'Idempotency-Key', description: 'Must be 1 to 255 visible ASCII characters.' },
    ]);
  }
  const { accountId } = principal;
  const principalId = principal.level === 'account' ? accountId : principal.projectId;
  return { accountId, principalId, keyHash: hash('sha256', key) };
}
