import { PasswordHasher } from '../../credentials/password-hasher.ts';
import type { Caller, Principal } from '../../model/caller.ts';
import { ApiError } from '../../model/errors.ts';
import type { Validator } from '../../model/fields/fields.ts';
import { idGenerator, type Ulid } from '../../model/resource-name.ts';
import type { BackgroundWrites } from '../../storage/background-writes.ts';
import type { Database } from '../../storage/interface/database.ts';
import type { FailedAct } from '../audit/failures.ts';
import { databaseOfValidToken } from './token-checked-database.ts';

/**
 * The fields of a request as the client sent them. The operation validates them, and throws INVALID_ARGUMENT with a violation
 * for every invalid field.
 */
export type UntrustedInput = Readonly<Record<string, unknown>>;

/** Who may call an operation. Each operation has its rules as a property, and begins with them: see `begin`. */
export type Rules = {
  /**
   * The token that suffices: any one, one of an account, one that sees its whole account, or of these one that the operator
   * has issued.
   */
  readonly caller: 'any' | 'account' | 'whole account' | 'issued by operator';
  /** Whether it changes something: a token that is read-only, or no longer valid, does not suffice. */
  readonly changes: boolean;
  /** Whether a change succeeds even if the token became invalid after the authentication. */
  readonly alsoAfterEnd?: boolean;
  /** The validators of the fields of its input, for the APIs, which refuse other fields. */
  readonly input?: Readonly<Record<string, Validator<unknown>>>;
};

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
  /** In a request that can still be undone: receives work to do once its changes are committed. */
  readonly afterCommit?: (work: () => void) => void;
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
> &
  Partial<Pick<OperationDependencies, 'requestTimeoutMs' | 'synced' | 'afterCommit'>> & {
    readonly caller: 'operator';
  };

/**
 * The first parameter of each operation of a client: who calls it, and its dependencies. An API has one for each request, and
 * can't open or copy it, so nothing has a database without the rules of an operation.
 */
export class Call<By = Caller> {
  readonly caller: By;
  readonly #dependencies: OperationDependencies;

  constructor(dependencies: OperationDependencies, caller: By) {
    this.caller = caller;
    this.#dependencies = dependencies;
  }

  /**
   * Returns the dependencies for calls without rules: idempotency keys, and operations of clients without a bearer token.
   */
  static open(call: Call<unknown>): OperationDependencies {
    return call.#dependencies;
  }
}

/**
 * Returns the first parameter of the operations that the operator calls.
 * @param publicUrl the gateway's public URL, if it is needed
 */
export function operatorContext(
  database: Database,
  publicUrl = () => '',
  clock: () => number = Date.now,
): OperatorContext {
  const passwords = new PasswordHasher();
  return { caller: 'operator', database, passwords, clock, newId: idGenerator(clock), publicUrl };
}

/**
 * Begins an operation: returns its dependencies. The database of a change changes nothing if the token is no longer
 * valid. The rules limit clients alone.
 *
 * @throws PERMISSION_DENIED if the rules exclude the token of the caller
 */
export function begin(call: Call, rules: Rules): OperationDependencies;
export function begin(call: Call | OperatorContext, rules: Rules): Omit<OperatorContext, 'caller'>;
export function begin(call: Call | OperatorContext, rules: Rules) {
  if (call.caller === 'operator') return call;
  const { principal } = call.caller;
  assertAllowed(rules, principal);
  const dependencies = Call.open(call);
  if (!rules.changes || rules.alsoAfterEnd) return dependencies;
  const { database, clock } = dependencies;
  return { ...dependencies, database: databaseOfValidToken(database, principal, clock) };
}

/** @throws PERMISSION_DENIED if the token is read-only. An API calls it before it reads the input of a change. */
export function assertMayChange({ caller }: Call): void {
  assertAllowed({ caller: 'any', changes: true }, caller.principal);
}

/** @throws PERMISSION_DENIED if the rules of an operation exclude a token */
function assertAllowed({ caller, changes }: Rules, principal: Principal): void {
  if (changes && principal.isReadOnly) throw new ApiError('READ_ONLY_TOKEN');
  if (caller === 'any') return;
  if (principal.appId !== undefined) throw new ApiError('ACCOUNT_TOKEN_REQUIRED');
  if (caller === 'account') return;
  if (principal.isOneProject) throw new ApiError('WHOLE_ACCOUNT_REQUIRED');
  if (caller === 'issued by operator' && principal.makerTokenId !== undefined)
    throw new ApiError('OPERATOR_TOKEN_REQUIRED');
}
