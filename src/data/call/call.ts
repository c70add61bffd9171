import { PasswordHasher } from '../../credentials/password-hasher.ts';
import type { Caller } from '../../model/caller.ts';
import { idGenerator } from '../../model/resource-name.ts';
import type { Database } from '../../storage/interface/database.ts';
import type { OperationDependencies, OperatorContext } from './dependencies.ts';
import { assertAllowed, type Rules } from './rules.ts';
import { databaseOfValidToken } from './token-checked-database.ts';

/**
 * The first parameter of each operation of a client: who calls it, and its dependencies. An API has one for each request, and
 * can't open or copy it, so that nothing has a database without the rules of an operation.
 */
export class Call<By = Caller> {
  readonly caller: By;
  readonly #dependencies: OperationDependencies;

  constructor(dependencies: OperationDependencies, caller: By) {
    this.caller = caller;
    this.#dependencies = dependencies;
  }

  /** Returns the dependencies for what has no rules: an idempotency key, and an operation of a client without a bearer token. */
  static open(call: Call<unknown>): OperationDependencies {
    return call.#dependencies;
  }
}

/** Returns the first parameter of the operations that the operator calls. @param publicUrl that of the gateway, if it is needed */
export function operatorContext(
  database: Database,
  publicUrl = () => '',
  clock: () => number = Date.now,
): OperatorContext {
  const passwords = new PasswordHasher();
  return { caller: 'operator', database, passwords, clock, newId: idGenerator(clock), publicUrl };
}

/**
 * Begins an operation: returns its dependencies. The database of a change changes nothing if the token has ended. The rules limit
 * clients alone.
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

/** @throws PERMISSION_DENIED if the token may only read. An API calls it before it reads the input of a change. */
export function assertMayChange({ caller }: Call): void {
  assertAllowed({ caller: 'any', changes: true }, caller.principal);
}
