import { createHmac, hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { seal, unseal } from '../credentials/sealed-text.ts';
import {
  idempotencyKeyInUse,
  idempotencyKeyReused,
  invalidFields,
  keptResponseSealed,
  keptResponseTooLarge,
  tooManyKeptResponses,
} from '../model/api-error.ts';
import type { Principal } from '../model/principal.ts';
import type { Database } from '../storage/database.ts';
import { findKeptResponse, type IdempotencyKeyId, insertKeptResponse } from '../storage/idempotency-keys.ts';
import { RequestTransaction } from '../storage/request-transaction.ts';
import type { IdempotentRequest, KeyedRequest, Operations } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import { type FailedSignIn, recordFailedSignIn } from './failed-sign-in.ts';
import type { RecordFailure } from './sign-in.ts';

const KEY_TTL_MS = 24 * 3_600_000;

const KEY_PATTERN = /^[!-~]{1,255}$/;

/** The maximum size of a kept response, in UTF-16 units. Every response of the REST API fits. */
const MAX_RESPONSE_LENGTH = 16_384;

// What a row has beside the sealed text, with its indexes.
const ROW_BYTES = 400;

// So that one project can't use up what the whole account may keep.
const PRINCIPALS_PER_ACCOUNT = 4;

const MAX_COUNTED = 20_000;

/** Returns the operations with other dependencies. */
type CreateOperations = (dependencies: Dependencies, recordFailure: RecordFailure) => Operations;

/** The request with its key and token, and what it shares with the other requests of the process. */
type Keyed = Omit<IdempotentRequest, 'content'> & {
  readonly id: IdempotencyKeyId;
  readonly contentHash: string;
  /** Is called when the request has ended. */
  readonly release: () => void;
  /** Is called when its response is kept. */
  readonly countBytes: (bytes: number) => void;
};

/** The idempotency keys in use, and the space that kept responses have taken, in one process. */
export class IdempotencyKeys {
  readonly #dependencies: Dependencies;
  readonly #operations: CreateOperations;
  /** The keys in use by this process. Those of other processes are noticed when the response is stored. */
  readonly #inUse = new Set<string>();
  /** The bytes that were kept for a principal or an account within the 24 hours that began with the first of them. */
  readonly #keptBytes: LRUCache<string, number>;

  constructor(dependencies: Dependencies, operations: CreateOperations) {
    this.#dependencies = dependencies;
    this.#operations = operations;
    this.#keptBytes = new LRUCache({
      max: MAX_COUNTED,
      // The cache has an entry until after this time.
      ttl: KEY_TTL_MS - 1,
      noUpdateTTL: true,
      ttlResolution: 0,
      perf: { now: dependencies.clock },
    });
  }

  /** See `DataLayer.beginKeyed`. @param database the database of the request */
  async begin(
    database: Database,
    principal: Principal,
    { key, bearerToken, content }: IdempotentRequest,
  ): Promise<KeyedRequest> {
    const id = idOfKey(principal, key);
    const name = Object.values(id).join();
    if (this.#inUse.has(name)) throw idempotencyKeyInUse();
    this.#inUse.add(name);
    const release = () => this.#inUse.delete(name);
    try {
      const contentHash = createHmac('sha256', key).update(content).digest('hex');
      const kept = await findKeptResponse(database, id, this.#dependencies.clock());
      if (kept === undefined) {
        const countBytes = this.#claimSpace(id);
        const keyed: Keyed = { key, bearerToken, id, contentHash, release, countBytes };
        return new FirstRequest(this.#dependencies, this.#operations, database, keyed);
      }
      if (kept.content_hash !== contentHash) throw idempotencyKeyReused();
      const replay = unseal(kept.response, bearerToken, key);
      if (replay === undefined) throw keptResponseSealed();
      await database.synced();
      release();
      return { replay };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Returns the function that counts a kept response. @throws RESOURCE_EXHAUSTED if too much is kept already */
  #claimSpace({ accountId, principalId }: IdempotencyKeyId): (bytes: number) => void {
    const { maxKeptBytes } = this.#dependencies;
    const counts = [
      [`account ${accountId}`, PRINCIPALS_PER_ACCOUNT * maxKeptBytes],
      [`principal ${principalId}`, maxKeptBytes],
    ] as const;
    for (const [name, limit] of counts) {
      if ((this.#keptBytes.get(name) ?? 0) < limit) continue;
      throw tooManyKeptResponses(1 + Math.floor(this.#keptBytes.getRemainingTTL(name) / 1000));
    }
    return (bytes) => {
      for (const [name] of counts) this.#keptBytes.set(name, (this.#keptBytes.get(name) ?? 0) + bytes);
    };
  }
}

/**
 * The first request with a key. Its changes and its kept response are one transaction, so that a process that is killed
 * leaves either both or none.
 */
class FirstRequest {
  readonly operations: Operations;
  readonly #dependencies: Dependencies;
  readonly #keyed: Keyed;
  readonly #transaction: RequestTransaction;
  /** What is recorded if the request is undone: after the end of its transaction, which would undo it or wait for it. */
  #signIns: FailedSignIn[] = [];
  #isEnded = false;

  constructor(
    dependencies: Dependencies,
    createOperations: CreateOperations,
    database: Database,
    keyed: Keyed,
  ) {
    this.#dependencies = dependencies;
    this.#keyed = keyed;
    this.#transaction = new RequestTransaction(database);
    const operations = createOperations(
      {
        ...dependencies,
        database: this.#transaction.database,
        passwords: { hash: (...input) => this.#hashPassword(...input) },
      },
      async (failure) => void this.#signIns.push(failure),
    );
    this.operations = {
      ...operations,
      signIn: async (principal, input, client) => {
        const result = await operations.signIn(principal, input, client);
        const [app, timeMs] = [result.app.name, dependencies.clock()];
        this.#signIns.push({ action: 'sign_in.undo', principal, client, app, timeMs });
        return result;
      },
    };
  }

  /** See `KeyedRequest`. */
  async keep(response: string): Promise<void> {
    const { id, key, bearerToken, contentHash, countBytes } = this.#keyed;
    try {
      // What has changed nothing can simply be done again.
      if (!this.#transaction.hasBegun) return;
      if (response.length > MAX_RESPONSE_LENGTH) throw keptResponseTooLarge(MAX_RESPONSE_LENGTH);
      const kept = { content_hash: contentHash, response: seal(response, bearerToken, key) };
      const { database } = this.#transaction;
      const now = this.#dependencies.clock();
      // Another process was faster. Its response is there for a repetition.
      if (!(await insertKeptResponse(database, id, kept, now, KEY_TTL_MS))) throw idempotencyKeyInUse();
      await this.#transaction.commit();
      this.#signIns = [];
      countBytes(kept.response.length + ROW_BYTES);
    } finally {
      await this.undo();
    }
  }

  /** See `KeyedRequest`. */
  async undo(): Promise<void> {
    // Another request with the same key may be running already.
    if (this.#isEnded) return;
    this.#isEnded = true;
    await this.#transaction.rollBack();
    this.#keyed.release();
    // Also if the client has gone.
    for (const signIn of this.#signIns) await recordFailedSignIn(this.#dependencies.database, signIn);
  }

  async #hashPassword(...input: Parameters<Dependencies['passwords']['hash']>): Promise<string> {
    if (!this.#transaction.hasBegun) return this.#dependencies.passwords.hash(...input);
    // The transaction would hold its locks while the password waits for its turn.
    const description = 'Must be in the first mutation of a request with an Idempotency-Key.';
    throw invalidFields([{ field: 'password', description }]);
  }
}

function idOfKey(principal: Principal, key: string): IdempotencyKeyId {
  if (!KEY_PATTERN.test(key)) {
    const description = 'Must be 1 to 255 visible ASCII characters.';
    throw invalidFields([{ field: 'Idempotency-Key', description }]);
  }
  const { accountId } = principal;
  const principalId = principal.level === 'account' ? accountId : principal.projectId;
  return { accountId, principalId, keyHash: hash('sha256', key) };
}
