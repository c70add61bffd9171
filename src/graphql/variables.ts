import {
  coerceInputValue,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInputType,
  Kind,
  typeFromAST,
} from 'graphql';
import type { FieldViolation } from '../model/api-error.ts';

/**
 * Finds the field of a variable that graphql-js has refused. graphql-js says it in
 * prose, into which it copies the value, passwords and keys included; so its check
 * is made again, for the place alone.
 *
 * @param thrown the error; one that is not about a variable has no violation
 * @param variables returns the variables as the client sent them
 */
export function variableViolation(
  schema: GraphQLSchema,
  thrown: unknown,
  variables: () => Readonly<Record<string, unknown>>,
): FieldViolation | undefined {
  if (!(thrown instanceof GraphQLError)) return undefined;
  const [node] = thrown.nodes ?? [];
  if (node?.kind !== Kind.VARIABLE_DEFINITION) return undefined;
  const variable = node.variable.name.value;
  const value = variables()[variable];
  const type = typeFromAST(schema, node.type);
  if (value === undefined || !isInputType(type)) return { field: variable, description: 'Required.' };
  if (value === null) return { field: variable, description: 'Must not be null.' };
  // Both faces name a field without the name of what holds them all.
  const holder = isInputObjectType(getNamedType(type)) ? [] : [variable];
  let violation: FieldViolation | undefined;
  coerceInputValue(value, type, (path, _value, { message }) => {
    // There is an error for each place, which ends with the place and what is said of it.
    const place = path.length > 0 ? ` at "${pathText([variable, ...path])}"` : '';
    if (!thrown.message.endsWith(`${place}; ${message}`)) return;
    const description = withoutValue(message);
    const [, inner] = /^Field "([^"]+)" (?:is not defined|of required type)/.exec(description) ?? [];
    const parts = [...holder, ...path, ...(inner ? [inner] : [])];
    violation ??= { field: parts.length > 0 ? pathText(parts) : variable, description };
  });
  return violation;
}

/** A message of graphql-js on a value, without the value. */
export function withoutValue(message: string): string {
  if (message.startsWith('Value "')) return 'The value is not one of the enum.';
  return message
    .replace(/\b(has|got) invalid value .*$/s, '$1 an invalid value.')
    .replace(/\bvalue: .*$/s, 'value.')
    .replace(/, found .*$/s, '.');
}

function pathText([first = '', ...rest]: readonly (string | number)[]): string {
  return rest.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : `${name}.${part}`),
    String(first),
  );
}
