import { type Address, parseAddress } from './address.ts';
import { type FieldViolation, invalidFields } from './api-error.ts';
import { type Network, parseNetwork } from './network.ts';
import { type Collection, parseResourceName, type ResourceName } from './resource-name.ts';

/**
 * The rule of one field: takes what the client sent, undefined if nothing, and
 * returns the value to work with, or throws a `BrokenRule`.
 */
export type Rule<T> = (sent: unknown) => T;

/** Thrown by a rule; the message says what the field must be, as a sentence. */
export class BrokenRule extends Error {}

type Parsed<Rules> = { readonly [F in keyof Rules]: Rules[F] extends Rule<infer T> ? T : never };

/**
 * Reads the fields of a request by their rules.
 *
 * @param sent the fields as the client sent them
 * @param rules the rule of each field; other fields of `sent` are not looked at
 * @throws INVALID_ARGUMENT that names every field whose rule is broken
 */
export function parseFields<Rules extends Record<string, Rule<unknown>>>(
  sent: Readonly<Record<string, unknown>>,
  rules: Rules,
): Parsed<Rules> {
  const violations: FieldViolation[] = [];
  const parsed: Record<string, unknown> = {};
  for (const [field, rule] of Object.entries(rules)) {
    try {
      parsed[field] = rule(Object.hasOwn(sent, field) ? sent[field] : undefined);
    } catch (error) {
      if (!(error instanceof BrokenRule)) throw error;
      violations.push({ field, description: error.message });
    }
  }
  if (violations.length > 0) throw invalidFields(violations);
  return parsed as Parsed<Rules>;
}

/** Makes a field one that may be left out. Null is not the same as leaving it out. */
export function optional<T>(rule: Rule<T>): Rule<T | undefined> {
  return (sent) => (sent === undefined ? undefined : rule(sent));
}

/** Makes a field one that may be left out or be null, which mean the same. */
export function nullable<T>(rule: Rule<T>): Rule<T | undefined> {
  return (sent) => (sent === undefined || sent === null ? undefined : rule(sent));
}

/**
 * Text of `min` to `max` Unicode code points. NUL, which PostgreSQL cannot
 * hold, and lone surrogates, which UTF-8 cannot, are refused.
 */
export function text(min: number, max: number): Rule<string> {
  const length = min === max ? `exactly ${min}` : `${min} to ${max}`;
  return (sent) => {
    if (sent === undefined) throw new BrokenRule('Required.');
    if (typeof sent !== 'string') throw new BrokenRule('Must be a string.');
    if (!sent.isWellFormed()) throw new BrokenRule('Must be well-formed Unicode: a surrogate stands alone.');
    if (sent.includes('\0')) throw new BrokenRule('Must not contain the character U+0000.');
    // A code point takes one or two units, so that most lengths are known without counting.
    const points = sent.length < min || sent.length > 2 * max ? Number.NaN : [...sent].length;
    if (!(points >= min && points <= max)) throw new BrokenRule(`Must be ${length} characters long.`);
    return sent;
  };
}

/** A title: 1 to 200 code points. */
export const title = text(1, 200);

/** A description: 0 to 2,000 code points. */
export const description = text(0, 2000);

/** A wallet's password: exactly 32 code points. */
export const password = text(32, 32);

/** A client's own text, sent back as it came. */
export const clientMutationId = nullable(text(0, 2000));

/** True or false. */
export const boolean: Rule<boolean> = (sent) => {
  if (sent === undefined) throw new BrokenRule('Required.');
  if (typeof sent !== 'boolean') throw new BrokenRule('Must be true or false.');
  return sent;
};

/** A private key, of any shape: one of the wrong shape is a wrong key, not bad input. */
export const privateKey = text(1, 1000);

/** A blockchain network, in any spelling that is accepted. */
export const network: Rule<Network> = (sent) => {
  const value = typeof sent === 'string' ? parseNetwork(sent) : undefined;
  if (value === undefined) {
    throw new BrokenRule(
      'Must be NETWORK_ETHEREUM, NETWORK_ETHEREUM_RINKEBY, NETWORK_POLYGON or NETWORK_POLYGON_MUMBAI.',
    );
  }
  return value;
};

/** An address of a wallet. */
export const address: Rule<Address> = (sent) => {
  const value = typeof sent === 'string' ? parseAddress(sent) : undefined;
  if (value === undefined) {
    throw new BrokenRule('Must be 0x and 40 hexadecimal digits, in one case or with the checksum of EIP-55.');
  }
  return value;
};

/** A resource name of one of `collections`. */
export function nameIn<C extends Collection>(...collections: readonly C[]): Rule<ResourceName<C>> {
  const shape = collections.map((collection) => `${collection}/<ULID>`).join(' or ');
  return (sent) => {
    if (sent === undefined) throw new BrokenRule('Required.');
    const name = typeof sent === 'string' ? parseResourceName(collections, sent) : undefined;
    if (name === undefined) throw new BrokenRule(`Must be a resource name of the form ${shape}.`);
    return name;
  };
}

/** A whole number from `min` to `max`. */
export function integer(min: number, max: number): Rule<number> {
  return (sent) => {
    if (typeof sent !== 'number' || !Number.isInteger(sent) || sent < min || sent > max) {
      throw new BrokenRule(`Must be a whole number from ${min} to ${max}.`);
    }
    return sent;
  };
}
