import {
  type ASTNode,
  BREAK,
  coerceInputValue,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  isInputType,
  isNonNullType,
  Kind,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
  visit,
} from 'graphql';

export type Values = Readonly<Record<string, unknown>>;

/**
 * Makes the function that reads the variables of a request, as `getVariableValues` of
 * graphql-js does, whose errors it leaves to whoever wants them: it returns undefined
 * if the variables do not fit.
 */
export function variableReader(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
): (sent: Values) => Values | undefined {
  const variables = definitions.map(({ variable, type: typeNode, defaultValue }) => {
    const type = typeFromAST(schema, typeNode);
    if (!isInputType(type)) throw new Error(`A valid document takes no ${variable.name.value}.`);
    const isNonNull = isNonNullType(type);
    const fallback = defaultValue && valueFromAST(defaultValue, type);
    return { name: variable.name.value, type, isNonNull, hasDefault: defaultValue !== undefined, fallback };
  });
  const refuse = () => {
    throw REFUSED;
  };
  return (sent) => {
    const values: Record<string, unknown> = {};
    for (const { name, type, isNonNull, hasDefault, fallback } of variables) {
      if (!Object.hasOwn(sent, name)) {
        if (hasDefault) values[name] = fallback;
        else if (isNonNull) return undefined;
        continue;
      }
      try {
        values[name] = coerceInputValue(sent[name], type, refuse);
      } catch {
        return undefined;
      }
    }
    return values;
  };
}

const REFUSED = new Error('The variables do not fit.');

/**
 * Makes the function that reads the arguments of a field, as `getArgumentValues` of
 * graphql-js does.
 *
 * @throws GraphQLError if a variable that is missing or null is not to be
 */
export function argumentReader(
  definition: GraphQLField<unknown, unknown>,
  node: FieldNode,
): (variables: Values) => Values {
  const given = new Map(node.arguments?.map(({ name, value }) => [name.value, value]));
  // Without what is selected below, which would be held for as long as this.
  const { selectionSet: _, ...bare } = node;
  const read = (variables: Values) => getArgumentValues(definition, bare, variables);
  const always: Record<string, unknown> = {};
  const fromVariables: { name: string; variable: string; isNonNull: boolean; fallback: unknown }[] = [];
  for (const { name, type, defaultValue } of definition.args) {
    const value = given.get(name);
    if (value === undefined) {
      if (defaultValue !== undefined) always[name] = defaultValue;
    } else if (value.kind === Kind.VARIABLE) {
      const { value: variable } = value.name;
      fromVariables.push({ name, variable, isNonNull: isNonNullType(type), fallback: defaultValue });
    } else if (hasVariables(value)) {
      return read;
    } else {
      always[name] = valueFromAST(value, type);
      // Against its type's rules, which validation leaves to the execution of some scalars.
      if (always[name] === undefined) return read;
    }
  }
  if (fromVariables.length === 0) return () => always;
  return (variables) => {
    const values: Record<string, unknown> = { ...always };
    for (const { name, variable, isNonNull, fallback } of fromVariables) {
      if (Object.hasOwn(variables, variable)) {
        const value = variables[variable];
        if (value === null && isNonNull) return read(variables);
        values[name] = value;
      } else if (fallback !== undefined) values[name] = fallback;
      else if (isNonNull) return read(variables);
    }
    return values;
  };
}

function hasVariables(node: ASTNode): boolean {
  let found = false;
  visit(node, {
    Variable() {
      found = true;
      return BREAK;
    },
  });
  return found;
}
