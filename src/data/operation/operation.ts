import type { Caller, Principal } from '../../model/caller.ts';
import { ApiError } from '../../model/errors.ts';
import type { Validator } from '../../model/fields/fields.ts';
import type { Database } from '../../storage/port/database.ts';
import type { Dependencies } from './dependencies.ts';
import { whileTokenIsValid } from './while-token-is-valid.ts';

/**
 * The fields of a request as the client sent them. The operation validates them, and throws INVALID_ARGUMENT with a violation
 * for every invalid field.
 */
export type UntrustedInput = Readonly<Record<string, unknown>>;

/** Who may call an operation. */
export type Rules = {
  /**
   * The token that suffices: any one, one of an account, one that sees its whole account, or of these one that the operator
   * has issued.
   */
  readonly caller: 'any' | 'account' | 'whole account' | 'issued by operator';
  /** Whether it changes something: a token that may only read, or has ended meanwhile, does not suffice. */
  readonly changes: boolean;
  /** Whether a change succeeds although the token has ended since the authentication. */
  readonly alsoAfterEnd?: boolean;
  /** The validators of the fields of its input, for the APIs, which refuse other fields. */
  readonly input?: Readonly<Record<string, Validator<unknown>>>;
};

type Run<Context, By, Input extends readonly unknown[], Result> = (
  context: Context,
  caller: By,
  ...input: Input
) => Promise<Result>;

/**
 * Declares an operation. Whoever calls it, the rules are checked first: it throws PERMISSION_DENIED for another token, and a
 * change UNAUTHENTICATED if the token has ended. They don't apply to the operator.
 *
 * @param run the operation, which throws INVALID_ARGUMENT with a violation for every invalid field, UNAVAILABLE if the database
 *   is unavailable, and the errors that its comment names
 */
export function operation<
  const R extends Rules,
  Context extends object,
  By extends Caller | 'operator',
  Input extends readonly unknown[],
  Result,
>(rules: R, run: Run<Context, By, Input, Result>): Run<Context, By, Input, Result> & { readonly rules: R } {
  const isChecked = rules.changes && !rules.alsoAfterEnd;
  const checked: Run<Context, By, Input, Result> = async (context, caller, ...input) => {
    if (caller === 'operator') return run(context, caller, ...input);
    const { principal } = caller as Caller;
    assertAllowed(rules, principal);
    return run(isChecked ? whileValid(context, principal) : context, caller, ...input);
  };
  return Object.assign(checked, { rules });
}

/** @throws PERMISSION_DENIED if the rules of an operation exclude a token */
export function assertAllowed({ caller, changes }: Rules, principal: Principal): void {
  if (changes && principal.isReadOnly) throw new ApiError('READ_ONLY_TOKEN');
  if (caller === 'any') return;
  if (principal.appId !== undefined) throw new ApiError('ACCOUNT_TOKEN_REQUIRED');
  if (caller === 'account') return;
  if (principal.isOneProject) throw new ApiError('WHOLE_ACCOUNT_REQUIRED');
  if (caller === 'issued by operator' && principal.makerTokenId !== undefined)
    throw new ApiError('OPERATOR_TOKEN_REQUIRED');
}

function whileValid<Context extends object>(context: Context, principal: Principal): Context {
  // The context of a client is complete.
  const { database, clock } = context as Context & { readonly database: Database } & Pick<
      Dependencies,
      'clock'
    >;
  return { ...context, database: whileTokenIsValid(database, principal, clock) };
}

type Operations = Readonly<
  Record<string, (context: never, caller: never, ...input: never[]) => Promise<unknown>>
>;

/** Operations without their first two parameters. */
export type Bound<O extends Operations> = {
  [Name in keyof O]: O[Name] extends (context: never, caller: never, ...input: infer Input) => infer Result
    ? (...input: Input) => Result
    : never;
};

/**
 * Returns a class whose instances have operations, bound to the dependencies and the caller of a request. They share the
 * functions, so that a request creates one object.
 */
export function boundOperations<By, O extends Operations>(operations: O) {
  class BoundOperations {
    readonly dependencies: Dependencies;
    readonly caller: By;

    constructor(dependencies: Dependencies, caller: By) {
      this.dependencies = dependencies;
      this.caller = caller;
    }
  }
  for (const [name, run] of Object.entries(operations)) {
    const bound = function (this: BoundOperations, ...input: never[]) {
      return run(this.dependencies as never, this.caller as never, ...input);
    };
    Object.assign(BoundOperations.prototype, { [name]: bound });
  }
  return BoundOperations as new (
    dependencies: Dependencies,
    caller: By,
  ) => BoundOperations & Bound<O>;
}
