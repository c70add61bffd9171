import { createHmac, hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { seal, unseal } from '../credentials/sealed-text.ts';
import {
  idempotencyKeyInUse,
  idempotencyKeyReused,
  invalidFields,
  keptResponseSealed,
  tooManyKeptResponses,
} from '../model/api-error.ts';
import { onlyProjectOf, type Principal } from '../model/principal.ts';
import type { Database } from '../storage/database.ts';
import { findKeptResponse, type IdempotencyKeyId, insertKeptResponse } from '../storage/idempotency-keys.ts';
import { RequestTransaction } from '../storage/request-transaction.ts';
import type { IdempotentRequest, KeyedRequest, Operations } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import { type FailedSignIn, recordFailedSignIn } from './failed-sign-in.ts';
import type { RecordFailure } from './sign-in.ts';

const KEY_TTL_MS = 24 * 3_600_000;

const KEY_PATTERN = /^[!-~]{1,255}$/;

// The size of a row without its sealed text, with its indexes.
const ROW_BYTES = 400;

const MAX_COUNTED = 20_000;

// So that the token of one app can't use up the space of the whole account.
const SHARE_OF_PRINCIPAL = 1 / 4;

/** Returns the operations with other dependencies. */
type CreateOperations = (dependencies: Dependencies, recordFailure: RecordFailure) => Operations;

type BackgroundWrite = Parameters<Dependencies['backgroundWrites']['add']>;

/** The first request with a key. */
type First = Omit<IdempotentRequest, 'content'> & {
  readonly id: IdempotencyKeyId;
  readonly contentHash: string;
  /** Lets another request use the key. */
  readonly release: () => void;
};

/** The idempotency keys in use, and the space that kept responses have taken, in one process. */
export class IdempotencyKeys {
  readonly dependencies: Dependencies;
  readonly createOperations: CreateOperations;
  /** The keys in use by this process. Those of other processes are noticed when the response is stored. */
  readonly #inUse = new Set<string>();
  /** The bytes that were kept for an account or a principal within the 24 hours that began with its first request. */
  readonly #keptBytes: LRUCache<string, number>;

  constructor(dependencies: Dependencies, createOperations: CreateOperations) {
    this.dependencies = dependencies;
    this.createOperations = createOperations;
    this.#keptBytes = new LRUCache({
      max: MAX_COUNTED,
      // An entry of the cache ends when it is older than this.
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
    const contentHash = createHmac('sha256', key).update(content).digest('hex');
    const kept = await findKeptResponse(database, id, this.dependencies.clock());
    if (kept !== undefined) {
      if (kept.content_hash !== contentHash) throw idempotencyKeyReused();
      const replay = unseal(kept.response, bearerToken, key);
      if (replay === undefined) throw keptResponseSealed();
      await database.synced();
      return { replay };
    }
    const name = id.principalId + id.keyHash;
    if (this.#inUse.has(name)) throw idempotencyKeyInUse();
    this.claimSpace(id, 0);
    this.#inUse.add(name);
    const release = () => this.#inUse.delete(name);
    return new FirstRequest(this, database, { key, bearerToken, id, contentHash, release });
  }

  /** Counts the bytes of a response. @throws RESOURCE_EXHAUSTED if too much is kept for the principal or its account */
  claimSpace({ accountId, principalId }: IdempotencyKeyId, bytes: number): void {
    const { maxKeptBytes } = this.dependencies;
    const limits = { [accountId]: maxKeptBytes, [`own ${principalId}`]: maxKeptBytes * SHARE_OF_PRINCIPAL };
    for (const [id, limit] of Object.entries(limits)) {
      if ((this.#keptBytes.get(id) ?? 0) < limit) continue;
      throw tooManyKeptResponses(1 + Math.floor(this.#keptBytes.getRemainingTTL(id) / 1000));
    }
    for (const id in limits) this.#keptBytes.set(id, (this.#keptBytes.get(id) ?? 0) + bytes);
  }
}

/**
 * The first request with a key. Its changes and its kept response are one transaction, so that a process that is killed
 * leaves either both or none.
 */
class FirstRequest {
  readonly operations: Operations;
  readonly #keys: IdempotencyKeys;
  readonly #first: First;
  readonly #transaction: RequestTransaction;
  /** Recorded if the request is undone: after the end of the transaction, which would undo the record or wait for it. */
  #signIns: FailedSignIn[] = [];
  /** Executed after the request, unless it is undone. They would wait for the locks of the transaction. */
  readonly #writes: BackgroundWrite[] = [];
  #isEnded = false;

  constructor(keys: IdempotencyKeys, database: Database, first: First) {
    this.#keys = keys;
    this.#first = first;
    this.#transaction = new RequestTransaction(database);
    const passwords = { hash: this.#hashPassword.bind(this) };
    const backgroundWrites = { add: (...write: BackgroundWrite) => void this.#writes.push(write) };
    const operations = keys.createOperations(
      { ...keys.dependencies, database: this.#transaction.database, passwords, backgroundWrites },
      async (failure) => void this.#signIns.push(failure),
    );
    this.operations = {
      ...operations,
      // Without an event, a client could test a key in a request whose other mutation fails.
      signIn: async (principal, input, client) => {
        const result = await operations.signIn(principal, input, client);
        const [{ accountId }, timeMs] = [principal, keys.dependencies.clock()];
        const app = result.app.name;
        this.#signIns.push({ action: 'sign_in.undo', accountId, principal, client, app, timeMs });
        return result;
      },
    };
  }

  /** See `KeyedRequest`. */
  async keep(response: string): Promise<void> {
    const { id, key, bearerToken, contentHash } = this.#first;
    try {
      // A request without a change can be executed again.
      if (!this.#transaction.hasBegun) return;
      const kept = { content_hash: contentHash, response: seal(response, bearerToken, key) };
      // Again, so that concurrent requests exceed the limit by one response at most.
      this.#keys.claimSpace(id, kept.response.length + ROW_BYTES);
      const { database } = this.#transaction;
      const now = this.#keys.dependencies.clock();
      // Another process has executed the request, and stored its response for a repetition.
      if (!(await insertKeptResponse(database, id, kept, now, KEY_TTL_MS))) throw idempotencyKeyInUse();
      await this.#transaction.commit();
      this.#signIns = [];
      for (const write of this.#writes) this.#keys.dependencies.backgroundWrites.add(...write);
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
    this.#first.release();
    // Not on the database of the request, which refuses this after the client has disconnected.
    const { database } = this.#keys.dependencies;
    for (const signIn of this.#signIns) await recordFailedSignIn(database, signIn);
  }

  async #hashPassword(password: string, accountId: string): Promise<string> {
    if (!this.#transaction.hasBegun) return this.#keys.dependencies.passwords.hash(password, accountId);
    // The transaction would hold its locks while the password waits to be hashed.
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
  const principalId = onlyProjectOf(principal) ?? accountId;
  return { accountId, principalId, keyHash: hash('sha256', key) };
}
