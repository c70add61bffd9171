import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { seal, unseal } from '../../credentials/sealed-text.ts';
import { ApiError, invalidFields } from '../../model/errors.ts';
import { isJsonObject } from '../../model/fields/json.ts';
import type { Principal } from '../../model/principal.ts';
import { lockAccountStatement } from '../../storage/accounts.ts';
import {
  findKeptResponse,
  type IdempotencyKeyId,
  insertKeptResponse,
} from '../../storage/idempotency-keys.ts';
import type { Database } from '../../storage/port/database.ts';
import { RequestTransaction } from '../../storage/port/request-transaction.ts';
import type { ClientActor } from '../access/actor.ts';
import type { SignInWithoutToken } from '../audit/sign-in-without-token.ts';
import type { Changes, IdempotentRequest, KeyedRequest, Reads } from '../data-layer.ts';
import type { Dependencies } from '../operation/dependencies.ts';

const KEY_TTL_MS = 24 * 3_600_000;

const KEY_PATTERN = /^[!-~]{1,255}$/;

// 128 bits in base64url, which keeps the rows and their index short.
const HASH_LENGTH = 22;

type CreateOperations = (dependencies: Dependencies, actor: ClientActor) => Reads & Changes;

type BackgroundWrite = Parameters<Dependencies['backgroundWrites']['add']>;

type First = Omit<IdempotentRequest, 'content'> & {
  readonly id: IdempotencyKeyId;
  readonly contentHash: string;
  /** Lets another request use the key. */
  readonly release: () => void;
};

/** The idempotency keys in use by one process. */
export class IdempotencyKeys {
  readonly dependencies: Dependencies;
  readonly createOperations: CreateOperations;
  /** The keys in use by this process, with the content of their requests, both as hashes. Those of other processes are noticed when the response is stored. */
  readonly #inUse = new Map<string, string>();

  constructor(dependencies: Dependencies, createOperations: CreateOperations) {
    this.dependencies = dependencies;
    this.createOperations = createOperations;
  }

  /** See `RequestChanges.beginKeyed`. @param database the database of the request */
  async begin(
    database: Database,
    actor: ClientActor,
    { key, bearerToken, content, hasSeveral }: IdempotentRequest,
  ): Promise<KeyedRequest> {
    const id = idOfKey(actor.principal, key);
    const contentHash = shortHash(createHmac('sha256', key).update(canonicalJson(content)));
    const kept = await findKeptResponse(database, id.accountId, id.keyHash, this.dependencies.clock());
    if (kept !== undefined) {
      if (kept.content_hash !== contentHash) throw new ApiError('IDEMPOTENCY_KEY_REUSED');
      const replay = unseal(kept.response, bearerToken, key);
      if (replay === undefined) throw new ApiError('IDEMPOTENCY_RESPONSE_SEALED');
      await database.synced();
      return { replay };
    }
    const inUse = this.#inUse.get(id.keyHash);
    if (inUse !== undefined) {
      throw new ApiError(inUse === contentHash ? 'IDEMPOTENCY_KEY_IN_USE' : 'IDEMPOTENCY_KEY_REUSED');
    }
    this.#inUse.set(id.keyHash, contentHash);
    const release = () => this.#inUse.delete(id.keyHash);
    return new FirstRequest(this, database, actor, {
      key,
      bearerToken,
      hasSeveral,
      id,
      contentHash,
      release,
    });
  }
}

/**
 * The first request with a key. Its changes and its kept response are one transaction, so that a process that is killed
 * leaves either both or none.
 */
class FirstRequest {
  readonly operations: Reads & Changes;
  readonly #keys: IdempotencyKeys;
  readonly #first: First;
  readonly #transaction: RequestTransaction;
  /** Sign-ins to record if the request is undone. They are recorded after the rollback, which would remove them. */
  #signIns: SignInWithoutToken[] = [];
  /** Executed after the request, unless it is undone. They would wait for the locks of the transaction. */
  readonly #writes: BackgroundWrite[] = [];
  #isEnded = false;

  constructor(keys: IdempotencyKeys, database: Database, actor: ClientActor, first: First) {
    this.#keys = keys;
    this.#first = first;
    // Two requests that change the same resources in different orders would wait for each other.
    const lock = first.hasSeveral ? lockAccountStatement(first.id.accountId) : undefined;
    this.#transaction = new RequestTransaction(database, lock);
    const dependencies: Dependencies = {
      ...keys.dependencies,
      database: this.#transaction.database,
      passwords: { hash: this.#hashPassword.bind(this) },
      backgroundWrites: { add: (...write) => void this.#writes.push(write) },
      recordFailure: async (signIn) => void this.#signIns.push(signIn),
    };
    const operations = keys.createOperations(dependencies, actor);
    this.operations = {
      ...operations,
      // Without an event, a client could test a key in a request whose other mutation fails.
      signIn: async (input) => {
        const result = await operations.signIn(input);
        const [{ accountId }, id] = [actor.principal, keys.dependencies.newId()];
        const app = result.app.name;
        this.#signIns.push({ id, action: 'sign_in.undo', accountId, ...actor, app });
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
      const sealed = seal(response, bearerToken, key);
      if (sealed === undefined) {
        const message =
          'The response is too large for a request with an Idempotency-Key. Request fewer fields or items.';
        throw new ApiError('RESPONSE_TOO_LARGE', { message });
      }
      const { database } = this.#transaction;
      const now = this.#keys.dependencies.clock();
      const kept = { content_hash: contentHash, response: sealed, expire_time_ms: now + KEY_TTL_MS };
      // Another process has executed the request, and stored its response for a repetition.
      if (!(await insertKeptResponse(database, id, kept, now))) {
        throw new ApiError('IDEMPOTENCY_KEY_IN_USE');
      }
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
    for (const signIn of this.#signIns) await this.#keys.dependencies.recordFailure(signIn);
  }

  async #hashPassword(password: string, accountId: string): Promise<string> {
    if (!this.#transaction.hasBegun) return this.#keys.dependencies.passwords.hash(password, accountId);
    // The transaction would hold its locks while the password waits to be hashed.
    const description = 'Must be in the first mutation of a request with an Idempotency-Key.';
    throw invalidFields([{ field: 'password', description }]);
  }
}

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
