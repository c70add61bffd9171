import type { PasswordHasher } from '../../credentials/password-hasher.ts';
import type { Ulid } from '../../model/resource-name.ts';
import type { BackgroundWrites } from '../../storage/background-writes.ts';
import type { Database } from '../../storage/interface/database.ts';
import type { FailedAct } from '../audit/failures.ts';

export type OperationDependencies = {
  readonly database: Database;
  /** Resolves when all that reads have returned is durable: see `Engine.synced`. */
  readonly synced: () => Promise<void>;
  readonly backgroundWrites: Pick<BackgroundWrites, 'add'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  /** Returns the current time, in Unix milliseconds. */
  readonly clock: () => number;
  /** Returns a new ULID, which sorts after all earlier ones. */
  readonly newId: () => Ulid;
  /** The maximum time of a request on PostgreSQL, in milliseconds. */
  readonly requestTimeoutMs: number;
  readonly tokenTtlSeconds: number;
  readonly maxTokensPerApp: number;
  /** Is called after each sign-in, with `OK` or the reason of the error. */
  readonly onSignIn?: ((outcome: string) => void) | undefined;
  /** The idempotency keys in use by this process, with the content of their requests, both as hashes. */
  readonly keysInUse: Map<string, string>;
  /** Records a failure, even if the changes of the request are undone, or its time is over. */
  readonly recordFailure: (failure: FailedAct) => Promise<void>;
  /**
   * Is called in a request that can still be undone: records a failure if it is. Without an event, a client could test a key in
   * a request whose other mutation fails.
   */
  readonly recordIfUndone?: (failure: FailedAct) => void;
  /** Returns the public URL of the gateway, without a trailing slash. */
  readonly publicUrl: () => string;
};

/** The first parameter of each operation that the operator calls, with its dependencies. */
export type OperatorContext = Pick<
  OperationDependencies,
  'database' | 'passwords' | 'clock' | 'newId' | 'publicUrl'
> & { readonly caller: 'operator'; readonly requestTimeoutMs?: number };
