import { type Address, parseAddress, ZERO_ADDRESS } from '../address.ts';
import { AUDIT_ACTIONS, type AuditAction } from '../audit-event.ts';
import { ApiError, type FieldViolation, invalidFields } from '../errors.ts';
import { NETWORKS, type Network, parseNetwork } from '../network.ts';
import {
  type Collection,
  parseResourceName,
  parseUlid,
  type ResourceName,
  type Ulid,
} from '../resource-name.ts';

/**
 * The validator of one field: a function that takes the value of the request, undefined if
 * the field is omitted, and returns the parsed value.
 *
 * @throws ValidationError if the value is invalid
 */
export type Validator<T> = (value: unknown) => T;

/** Thrown by a validator. The message is a sentence that describes the valid values. */
export class ValidationError extends Error {}

/** The values that validators return, by field. */
export type Parsed<Validators> = {
  readonly [F in keyof Validators]: Validators[F] extends Validator<infer T> ? T : never;
};

/**
 * Parses the fields of a request with their validators.
 *
 * @param validators the validator of each field; fields of `input` without a validator are ignored
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export function parseFields<Validators extends Record<string, Validator<unknown>>>(
  input: Readonly<Record<string, unknown>>,
  validators: Validators,
): Parsed<Validators> {
  const violations: FieldViolation[] = [];
  const parsed: Record<string, unknown> = {};
  for (const field in validators) {
    try {
      parsed[field] = validators[field]?.(Object.hasOwn(input, field) ? input[field] : undefined);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      violations.push({ field, description: error.message });
    }
  }
  if (violations.length > 0) throw invalidFields(violations);
  return parsed as Parsed<Validators>;
}

/**
 * Returns the fields of a request, whose values can have several spellings, in one of them. Those of an invalid request, which
 * its operation refuses, are in a list, so they equal no others.
 */
export function normalizedFields(
  input: Readonly<Record<string, unknown>>,
  validators: Readonly<Record<string, Validator<unknown>>>,
): unknown {
  try {
    return parseFields(input, validators);
  } catch {
    return [input];
  }
}

/**
 * Rejects the fields of a request that no validator reads.
 *
 * @param parent the name of the object that contains the fields, if it is a field itself
 * @throws INVALID_ARGUMENT with a violation for every unknown field
 */
export function rejectUnknownFields(
  sent: readonly string[],
  known: readonly string[],
  parent?: string,
): void {
  const unknown = sent.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const fields = `Known fields: ${known.join(', ') || 'none'}.`;
  throw invalidFields(
    unknown.map((name) => ({
      field: parent ? `${parent}.${name}` : name,
      description: describeUnknownField(name, fields),
    })),
  );
}

/** Describes a field that the input does not have. @param known a sentence about its fields, or an empty string */
export function describeUnknownField(name: string, known: string): string {
  return describeAssignedField(name) ?? `Unknown field. ${known}`.trimEnd();
}

/** Describes a field that no input has, and that clients know from the responses. Returns undefined for other fields. */
export function describeAssignedField(name: string): string | undefined {
  if (name !== 'address') return undefined;
  return "The address of a wallet is assigned by the service. A client can't set it.";
}

/** Returns the integer in a text, or the unchanged text if it is not one, which the operation then rejects. */
export function integerIn(text: string | undefined): number | string | undefined {
  return text !== undefined && /^(0|-?[1-9]\d{0,8})$/.test(text) ? Number(text) : text;
}

/**
 * Runs an operation, and renames the fields in its errors to their names in the request.
 *
 * @param names the names in the request, by the names in the operation
 */
export async function renameFields<T>(
  names: Readonly<Record<string, string>>,
  operation: () => Promise<T>,
): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw withFields(error, (field) => names[field] ?? field);
  }
}

/** Returns an error with other names of its fields, and an error without fields unchanged. */
export function withFields(error: unknown, rename: (field: string) => string): unknown {
  if (!(error instanceof ApiError) || error.fieldViolations.length === 0) return error;
  const violations = error.fieldViolations.map((each) => ({ ...each, field: rename(each.field) }));
  return invalidFields(violations, error.reason);
}

/** Returns a validator for a field that can be omitted. Null is invalid. */
export function optional<T>(required: Validator<T>): Validator<T | undefined> {
  return (value) => (value === undefined ? undefined : required(value));
}

/** Returns a validator for a field that can be omitted or null. Null means omitted. */
export function nullable<T>(required: Validator<T>): Validator<T | undefined> {
  return (value) => (value == null ? undefined : required(value));
}

/**
 * Returns the validator of a text of `min` to `max` Unicode code points. U+0000 is rejected,
 * because PostgreSQL cannot store it, and lone surrogates, because UTF-8 cannot encode them.
 */
export function text(min: number, max: number): Validator<string> {
  const length = min === max ? `exactly ${min}` : `${min} to ${max}`;
  return (value) => {
    if (value === undefined) throw new ValidationError('Required.');
    if (typeof value !== 'string') throw new ValidationError('Must be a string.');
    if (!value.isWellFormed())
      throw new ValidationError('Must be well-formed Unicode, without lone surrogates.');
    if (value.includes('\0')) throw new ValidationError('Must not contain the character U+0000.');
    // A code point has one or two UTF-16 units. A text outside these bounds is not counted.
    const points = value.length < min || value.length > 2 * max ? Number.NaN : [...value].length;
    if (!(points >= min && points <= max)) throw new ValidationError(`Must be ${length} characters long.`);
    return value;
  };
}

export const title = text(1, 200);

export const tokenTitle = text(0, 200);

export const description = text(0, 2000);

const REFERENCE = /^[A-Za-z0-9._:-]{1,64}$/;

/** The validator of the name that a client gives a resource. */
export const reference: Validator<string> = (value) => {
  if (typeof value !== 'string' || !REFERENCE.test(value))
    throw new ValidationError('Must be 1 to 64 of the characters A-Z, a-z, 0-9, ".", "_", ":" and "-".');
  return value;
};

/** The validator of a new reference in an update: of null, which removes it, it returns an empty string. */
export const newReference = optional((value) => (value === null ? '' : reference(value)));

export const password = text(32, 32);

export const clientMutationId = nullable(text(0, 2000));

export const boolean: Validator<boolean> = (value) => {
  if (value === undefined) throw new ValidationError('Required.');
  if (typeof value !== 'boolean') throw new ValidationError('Must be true or false.');
  return value;
};

/** The validator of a private key. It accepts any format: a malformed key is a failed sign-in, not an invalid field. */
export const privateKey = text(1, 1000);

/** The validator of a blockchain network, in any accepted spelling. */
export const network: Validator<Network> = (value) => {
  const parsed = typeof value === 'string' ? parseNetwork(value) : undefined;
  if (parsed === undefined) throw new ValidationError(`Must be one of ${NETWORKS.join(', ')}.`);
  return parsed;
};

export const address: Validator<Address> = (value) => {
  const parsed = typeof value === 'string' ? parseAddress(value) : undefined;
  if (parsed === undefined) {
    throw new ValidationError(
      'Must be 0x and 40 hexadecimal digits, all in one case or with a valid EIP-55 checksum.',
    );
  }
  if (parsed === ZERO_ADDRESS)
    throw new ValidationError('Must not be the zero address, which belongs to no one.');
  return parsed;
};

export const addressInAnyCase: Validator<Address> = (value) => {
  const parsed = typeof value === 'string' ? parseAddress(value.toLowerCase()) : undefined;
  if (parsed === undefined) throw new ValidationError('Must be 0x and 40 hexadecimal digits.');
  return parsed;
};

/** The validator of the id of a token: its ULID, in either case, or its resource name. */
export const tokenId: Validator<Ulid> = (value) => {
  const id = typeof value === 'string' ? parseUlid(value.replace(/^tokens\//, '')) : undefined;
  if (id === undefined) throw new ValidationError('Must be tokens/<ULID>, or the ULID alone.');
  return id;
};

export function resourceNameValidator<C extends Collection>(
  ...collections: readonly C[]
): Validator<ResourceName<C>> {
  const format = collections.map((collection) => `${collection}/<ULID>`).join(' or ');
  return (value) => {
    if (value === undefined) throw new ValidationError('Required.');
    const name = typeof value === 'string' ? parseResourceName(collections, value) : undefined;
    if (name === undefined) throw new ValidationError(`Must be a resource name of the form ${format}.`);
    return name;
  };
}

export function integer(min: number, max: number): Validator<number> {
  return (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
      throw new ValidationError(`Must be an integer from ${min} to ${max}.`);
    }
    return value;
  };
}

export const auditAction: Validator<AuditAction> = (value) => {
  const action = AUDIT_ACTIONS.find((each) => each === value);
  if (action === undefined) throw new ValidationError(`Must be one of ${AUDIT_ACTIONS.join(', ')}.`);
  return action;
};

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** The validator of a time, in a text or as GraphQL parses it. Returns Unix time in milliseconds. Source: RFC 3339. */
export const time: Validator<number> = (value) => {
  if (value instanceof Date) return value.getTime();
  const [text = '', local = ''] = typeof value === 'string' ? (TIME.exec(value) ?? []) : [];
  const timeMs = Date.parse(text);
  // 30 February is 2 March for `Date`, and the hour 24 is 0 of the next day.
  const isReal = !Number.isNaN(timeMs) && new Date(`${local}Z`).toISOString().startsWith(local);
  if (!isReal) throw new ValidationError('Must be a time such as 2026-01-31T12:00:00Z.');
  return timeMs;
};
