import { coerceInputValue, GraphQLError, type GraphQLSchema, isInputType, Kind, typeFromAST } from 'graphql';
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
  let violation: FieldViolation | undefined;
  coerceInputValue(value, type, (path, _value, { message }) => {
    // There is an error for each place, which ends with what is said of it.
    if (!thrown.message.endsWith(message)) return;
    const description = withoutValue(message);
    const [, inner] = /^Field "([^"]+)" (?:is not defined|of required type)/.exec(description) ?? [];
    violation ??= { field: fieldName([variable, ...path, ...(inner ? [inner] : [])]), description };
  });
  return violation;
}

/** A message of graphql-js on a value, without the value. */
export function withoutValue(message: string): string {
  if (message.startsWith('Value "')) return 'The value is not one of the enum.';
  return message.replace(/\bvalue: .*$/s, 'value.').replace(/, found .*$/s, '.');
}

/** Both faces name a field without the name of the argument that holds it. */
function fieldName([variable, ...path]: readonly (string | number)[]): string {
  const [first = variable, ...rest] = variable === 'input' ? path : [variable, ...path];
  return rest.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : `${name}.${part}`),
    String(first),
  );
}
