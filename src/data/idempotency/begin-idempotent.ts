import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { seal, unseal } from '../../credentials/sealed-text.ts';
import type { Principal } from '../../model/caller.ts';
import { ApiError, invalidFields } from '../../model/errors.ts';
import { isJsonObject } from '../../model/fields/json.ts';
import { lockAccountStatement } from '../../storage/tables/accounts.ts';
import {
  findStoredResponse,
  type IdempotencyKeyId,
  insertStoredResponse,
} from '../../storage/tables/idempotency-keys.ts';
import { LazyTransaction } from '../../storage/work/lazy-transaction.ts';
import type { FailedAct } from '../audit/failures.ts';
import { Call, type OperationDependencies } from '../call/call.ts';

const KEY_TTL_MS = 24 * 3_600_000;

const KEY_PATTERN = /^[!-~]{1,255}$/;

// 128 bits in base64url, which keeps the rows and their index short.
const HASH_LENGTH = 22;

/** A request with an `Idempotency-Key`: a client can repeat it, and it is executed once. */
export type IdempotentRequest = {
  /** The `Idempotency-Key`: unique among the requests of the app, or of the account tokens. */
  readonly key: string;
  /** The bearer token of the request, with which the response is sealed. */
  readonly bearerToken: string;
  /** The contents that must be equal in a retry: the operations, their inputs and preconditions, as JSON in any order. */
  readonly content: unknown;
  /** The passwords that are set, if the request has several operations. */
  readonly passwords: readonly string[];
  /** Whether other such requests of the account wait for it: it can have several operations, or sets a reference. */
  readonly locksAccount: boolean;
};

/** The kept response of an earlier request with the key, or the first request with it. */
export type ReplayOrFirst =
  | {
      /** Returns the response. The responses of many concurrent requests would take much more memory than the data. */
      readonly replay: () => string;
      readonly first?: undefined;
    }
  | { readonly replay?: undefined; readonly first: FirstRequest };

/**
 * Begins a request with an `Idempotency-Key`. The first request with the key has to be ended by `keep` or `undo`.
 *
 * @throws INVALID_ARGUMENT if the key is invalid, or was used for another request
 * @throws ALREADY_EXISTS if the request was made with another token, with which its response was sealed
 * @throws ABORTED if a request with this key is running
 * @throws RESOURCE_EXHAUSTED if too many passwords of the account are being set at the same time
 */
export async function beginIdempotent(call: Call, request: IdempotentRequest): Promise<ReplayOrFirst> {
  const { database, synced, clock, keysInUse } = Call.open(call);
  const { key, bearerToken, content } = request;
  const id = idOfKey(call.caller.principal, key);
  const contentHash = shortHash(createHmac('sha256', key).update(canonicalJson(content)));
  const kept = await findStoredResponse(database, id.accountId, id.keyHash, clock());
  if (kept !== undefined) {
    if (kept.content_hash !== contentHash) throw new ApiError('IDEMPOTENCY_KEY_REUSED');
    const replay = unseal(kept.response, bearerToken, key);
    if (replay === undefined) throw new ApiError('IDEMPOTENCY_RESPONSE_SEALED');
    await synced();
    return { replay };
  }
  // Those of other processes are noticed when the response is stored.
  const inUse = keysInUse.get(id.keyHash);
  if (inUse !== undefined) {
    throw new ApiError(inUse === contentHash ? 'IDEMPOTENCY_KEY_IN_USE' : 'IDEMPOTENCY_KEY_REUSED');
  }
  keysInUse.set(id.keyHash, contentHash);
  const first = new FirstRequest(call, { ...request, id, contentHash });
  await first.hashPasswords();
  return { first };
}

/**
 * The first request with a key. Its changes and its kept response are one transaction, so a process that is killed
 * leaves either both or none.
 */
export class FirstRequest {
  /** The call of its operations, whose changes are in the transaction. */
  readonly call: Call;
  readonly #outer: OperationDependencies;
  readonly #request: Started;
  readonly #transaction: LazyTransaction;
  /** Failures to record if the request is undone. They are recorded after the rollback, which would remove them. */
  #failures: FailedAct[] = [];
  /** Executed after the request, unless it is undone. Writes would wait for the locks of the transaction. */
  readonly #afterCommit: (() => void)[] = [];
  /** In the transaction, its locks would be held while the passwords wait to be hashed. */
  readonly #hashes: [password: string, hash: string][] = [];
  #isEnded = false;

  constructor(call: Call, request: Started) {
    const dependencies = Call.open(call);
    this.#outer = dependencies;
    this.#request = request;
    // Two requests that change the same resources in different orders would wait for each other. And PostgreSQL ends the
    // transaction in which another one has been faster with a reference.
    const { accountId } = request.id;
    const lock = request.locksAccount ? lockAccountStatement(accountId) : undefined;
    this.#transaction = new LazyTransaction(dependencies.database, accountId, lock);
    const { backgroundWrites } = dependencies;
    const afterCommit = (work: () => void) => void this.#afterCommit.push(work);
    const inTransaction: OperationDependencies = {
      ...dependencies,
      database: this.#transaction.database,
      passwords: { hash: this.#takeHash.bind(this) },
      backgroundWrites: { add: (...write) => afterCommit(() => backgroundWrites.add(...write)) },
      afterCommit,
      recordFailure: async (failure) => void this.#failures.push(failure),
      recordIfUndone: (failure) => void this.#failures.push(failure),
    };
    this.call = new Call(inTransaction, call.caller);
  }

  /**
   * Commits the changes of the operations, and keeps the response for 24 hours if there is a change.
   *
   * @throws ABORTED if another process has committed a request with this key
   * @throws INVALID_ARGUMENT if the response is too large. In all cases the changes are undone.
   */
  async keep(response: string): Promise<void> {
    const { id, key, bearerToken, contentHash } = this.#request;
    try {
      // A request without a change can be executed again.
      if (!this.#transaction.hasBegun) return;
      const sealed = seal(response, bearerToken, key);
      if (sealed === undefined) {
        const message =
          'The response is too large for a request with an Idempotency-Key. Request fewer fields or items.';
        throw new ApiError('RESPONSE_TOO_LARGE', { message });
      }
      const { database } = this.#transaction;
      const now = this.#outer.clock();
      const kept = { content_hash: contentHash, response: sealed, expire_time_ms: now + KEY_TTL_MS };
      // Another process has executed the request, and stored its response for retries.
      if (!(await insertStoredResponse(database, id, kept, now))) {
        throw new ApiError('IDEMPOTENCY_KEY_IN_USE');
      }
      await this.#transaction.commit();
      this.#failures = [];
      for (const work of this.#afterCommit) work();
    } finally {
      await this.undo();
    }
  }

  /** Rolls the changes of the operations back, unless the response was kept. */
  async undo(): Promise<void> {
    // Another request with the same key may be running already.
    if (this.#isEnded) return;
    this.#isEnded = true;
    await this.#transaction.rollBack();
    this.#outer.keysInUse.delete(this.#request.id.keyHash);
    for (const failure of this.#failures) await this.#outer.recordFailure(failure);
  }

  /** Hashes the passwords of a request with several operations. @throws as `PasswordHasher.hash`; the request is undone */
  async hashPasswords(): Promise<void> {
    const { passwords, id } = this.#request;
    try {
      // One after the other, so the request takes one place among those that wait.
      for (const password of passwords) {
        this.#hashes.push([password, await this.#outer.passwords.hash(password, id.accountId)]);
      }
    } catch (error) {
      await this.undo();
      throw error;
    }
  }

  /** Returns the hash of a password, and a new one for each wallet. */
  async #takeHash(password: string, accountId: string): Promise<string> {
    const index = this.#hashes.findIndex(([each]) => each === password);
    const [hashed] = index < 0 ? [] : this.#hashes.splice(index, 1);
    return hashed?.[1] ?? this.#outer.passwords.hash(password, accountId);
  }
}

/** A request whose key is in use. */
type Started = IdempotentRequest & { readonly id: IdempotencyKeyId; readonly contentHash: string };

/** Returns the JSON of a value with the members of each object in one order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

function idOfKey(principal: Principal, key: string): IdempotencyKeyId {
  if (!KEY_PATTERN.test(key)) {
    const description = 'Must be 1 to 255 visible ASCII characters.';
    throw invalidFields([{ field: 'Idempotency-Key', description }]);
  }
  const { accountId, appId } = principal;
  const keyHash = shortHash(createHash('sha256').update(`${appId ?? accountId} ${key}`));
  return { accountId, keyHash };
}

function shortHash(hash: Hash | Hmac): string {
  return hash.digest('base64url').slice(0, HASH_LENGTH);
}
