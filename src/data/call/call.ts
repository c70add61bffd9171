import type { Caller } from '../../model/caller.ts';
import type { OperationDependencies, OperatorContext } from './dependencies.ts';
import { assertAllowed, type Rules } from './rules.ts';
import { databaseOfValidToken } from './token-checked-database.ts';

/**
 * The first parameter of each operation: who calls it, and its dependencies. An API has one for each request, and can't open or
 * copy it, so that nothing has a database without the rules of an operation.
 */
export class Call<Needed = OperationDependencies, By = Caller> {
  readonly caller: By;
  readonly #dependencies: Needed;

  constructor(dependencies: Needed, caller: By) {
    this.caller = caller;
    this.#dependencies = dependencies;
  }

  /** Returns the dependencies for what has no rules: an idempotency key, and an operation of a client without a bearer token. */
  static open<Needed, By>(call: Call<Needed, By>): Needed {
    return call.#dependencies;
  }
}

/** Returns a call of the operator. The rules of an operation limit clients alone. */
export function asOperator<Needed extends Partial<OperatorContext>>(
  operator: Needed,
): Call<Needed, 'operator'> {
  return new Call(operator, 'operator');
}

/**
 * Begins an operation: returns its dependencies. The database of a change changes nothing if the token has ended.
 *
 * @throws PERMISSION_DENIED if the rules exclude the token of the caller
 */
export function begin<Needed>(call: Call<Needed, Caller | 'operator'>, rules: Rules): Needed {
  const { caller } = call;
  const dependencies = Call.open(call);
  if (caller === 'operator') return dependencies;
  assertAllowed(rules, caller.principal);
  if (!rules.changes || rules.alsoAfterEnd) return dependencies;
  // The dependencies of a client are complete.
  const { database, clock } = dependencies as Needed & Pick<OperationDependencies, 'database' | 'clock'>;
  return { ...dependencies, database: databaseOfValidToken(database, caller.principal, clock) };
}

/** @throws PERMISSION_DENIED if the token may only read. An API calls it before it reads the input of a change. */
export function assertMayChange({ caller }: Call): void {
  assertAllowed({ caller: 'any', changes: true }, caller.principal);
}
