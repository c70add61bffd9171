import type { Principal } from '../../model/caller.ts';
import { ApiError } from '../../model/errors.ts';
import type { Validator } from '../../model/fields/fields.ts';

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
  /** Whether it changes something: a token that may only read, or has ended meanwhile, does not suffice. */
  readonly changes: boolean;
  /** Whether a change succeeds although the token has ended since the authentication. */
  readonly alsoAfterEnd?: boolean;
  /** The validators of the fields of its input, for the APIs, which refuse other fields. */
  readonly input?: Readonly<Record<string, Validator<unknown>>>;
};

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
