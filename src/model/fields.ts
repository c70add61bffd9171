import { type Address, parseAddress } from './address.ts';
import { type FieldViolation, invalidFields } from './api-error.ts';
import { ACCEPTED_NETWORKS, type Network, parseNetwork } from './network.ts';
import { type Collection, parseResourceName, type ResourceName, ULID_PATTERN } from './resource-name.ts';

/** What a value looks like. Source: JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The validator of one field: takes what the client sent, undefined if nothing, and
 * returns the value to work with, or throws a `ValidationError`.
 */
export type Validator<T> = ((sent: unknown) => T) & {
  /** The values that it accepts. */
  readonly schema: JsonSchema;
  /** Whether the field may be left out. */
  readonly isOptional: boolean;
};

/** Thrown by a validator; the message says what the field must be, as a sentence. */
export class ValidationError extends Error {}

/** Makes a validator of the schema of its values and a function that reads one. */
export function validator<T>(
  schema: JsonSchema,
  isOptional: boolean,
  read: (sent: unknown) => T,
): Validator<T> {
  return Object.assign(read, { schema, isOptional });
}

type Parsed<Validators> = {
  readonly [F in keyof Validators]: Validators[F] extends Validator<infer T> ? T : never;
};

/**
 * Reads the fields of a request by their validators.
 *
 * @param sent the fields as the client sent them
 * @param validators the validator of each field; other fields of `sent` are not looked at
 * @throws INVALID_ARGUMENT that names every field whose value is not valid
 */
export function parseFields<Validators extends Record<string, Validator<unknown>>>(
  sent: Readonly<Record<string, unknown>>,
  validators: Validators,
): Parsed<Validators> {
  const violations: FieldViolation[] = [];
  const parsed: Record<string, unknown> = {};
  for (const field in validators) {
    try {
      parsed[field] = validators[field]?.(Object.hasOwn(sent, field) ? sent[field] : undefined);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      violations.push({ field, description: error.message });
    }
  }
  if (violations.length > 0) throw invalidFields(violations);
  return parsed as Parsed<Validators>;
}

/** Makes a field one that may be left out. Null is not the same as leaving it out. */
export function optional<T>(required: Validator<T>): Validator<T | undefined> {
  return validator(required.schema, true, (sent) => (sent === undefined ? undefined : required(sent)));
}

/** Makes a field one that may be left out or be null, which mean the same. */
export function nullable<T>(required: Validator<T>): Validator<T | undefined> {
  return validator(required.schema, true, (sent) => (sent == null ? undefined : required(sent)));
}

/**
 * Text of `min` to `max` Unicode code points. NUL, which PostgreSQL cannot
 * hold, and lone surrogates, which UTF-8 cannot, are refused.
 */
export function text(min: number, max: number): Validator<string> {
  const length = min === max ? `exactly ${min}` : `${min} to ${max}`;
  const schema = { type: 'string', minLength: min, maxLength: max, pattern: '^[^\\u0000]*$' };
  return validator(schema, false, (sent) => {
    if (sent === undefined) throw new ValidationError('Required.');
    if (typeof sent !== 'string') throw new ValidationError('Must be a string.');
    if (!sent.isWellFormed())
      throw new ValidationError('Must be well-formed Unicode: a surrogate stands alone.');
    if (sent.includes('\0')) throw new ValidationError('Must not contain the character U+0000.');
    // A code point takes one or two units, so that most lengths are known without counting.
    const points = sent.length < min || sent.length > 2 * max ? Number.NaN : [...sent].length;
    if (!(points >= min && points <= max)) throw new ValidationError(`Must be ${length} characters long.`);
    return sent;
  });
}

/** The most code points of a description, which is the longest text of a resource. */
export const MAX_DESCRIPTION_LENGTH = 2000;

/** A title: 1 to 200 code points. */
export const title = text(1, 200);

/** A description: 0 to 2,000 code points. */
export const description = text(0, MAX_DESCRIPTION_LENGTH);

/** A wallet's password: exactly 32 code points. */
export const password = text(32, 32);

/** A client's own text, sent back as it came. */
export const clientMutationId = nullable(text(0, 2000));

/** True or false. */
export const boolean = validator({ type: 'boolean' }, false, (sent): boolean => {
  if (sent === undefined) throw new ValidationError('Required.');
  if (typeof sent !== 'boolean') throw new ValidationError('Must be true or false.');
  return sent;
});

/** A private key, of any shape: one of the wrong shape is a wrong key, not bad input. */
export const privateKey = text(1, 1000);

/** A blockchain network, in any spelling that is accepted. */
export const network = validator({ type: 'string', enum: ACCEPTED_NETWORKS }, false, (sent): Network => {
  const value = typeof sent === 'string' ? parseNetwork(sent) : undefined;
  if (value === undefined) {
    throw new ValidationError(
      'Must be NETWORK_ETHEREUM, NETWORK_ETHEREUM_RINKEBY, NETWORK_POLYGON or NETWORK_POLYGON_MUMBAI.',
    );
  }
  return value;
});

/** An address of a wallet. */
export const address = validator(
  { type: 'string', maxLength: 42, pattern: '^0x[0-9A-Fa-f]{40}$' },
  false,
  (sent): Address => {
    const value = typeof sent === 'string' ? parseAddress(sent) : undefined;
    if (value === undefined) {
      throw new ValidationError(
        'Must be 0x and 40 hexadecimal digits, in one case or with the checksum of EIP-55.',
      );
    }
    return value;
  },
);

/** A resource name of one of `collections`. */
export function resourceNameValidator<C extends Collection>(
  ...collections: readonly C[]
): Validator<ResourceName<C>> {
  const shape = collections.map((collection) => `${collection}/<ULID>`).join(' or ');
  const longest = Math.max(...collections.map(({ length }) => length + 27));
  const schema = {
    type: 'string',
    maxLength: longest,
    pattern: `^(${collections.join('|')})/${ULID_PATTERN}$`,
  };
  return validator(schema, false, (sent) => {
    if (sent === undefined) throw new ValidationError('Required.');
    const name = typeof sent === 'string' ? parseResourceName(collections, sent) : undefined;
    if (name === undefined) throw new ValidationError(`Must be a resource name of the form ${shape}.`);
    return name;
  });
}

/** A whole number from `min` to `max`. */
export function integer(min: number, max: number): Validator<number> {
  return validator({ type: 'integer', format: 'int32', minimum: min, maximum: max }, false, (sent) => {
    if (typeof sent !== 'number' || !Number.isInteger(sent) || sent < min || sent > max) {
      throw new ValidationError(`Must be a whole number from ${min} to ${max}.`);
    }
    return sent;
  });
}
