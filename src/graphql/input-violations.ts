import {
  type ASTNode,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type ValidationContext,
  type ValidationRule,
  type ValueNode,
  type VariableDefinitionNode,
} from 'graphql';
import type { FieldViolation } from '../model/api-error.ts';

// graphql-js says in its errors what it was given, which may be a password or a key. So
// what is wrong with a variable or with a value in a document is found out and said here.

type Path = readonly (string | number)[];

type Report = (path: Path, description: string) => void;

/** A variable that does not fit its type, and the fields at fault. */
export type VariableViolations = {
  readonly definition: VariableDefinitionNode;
  readonly violations: readonly FieldViolation[];
};

/** Finds the variables of an operation that graphql-js would refuse. @param variables as the client sent them */
export function variableViolations(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): readonly VariableViolations[] {
  return variableDefinitions.flatMap((definition) => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type);
    if (!isInputType(type)) return [];
    const violations: FieldViolation[] = [];
    const report: Report = (path, description) => {
      violations.push({ field: fieldName(name, type, path), description });
    };
    if (Object.hasOwn(variables, name)) checkInput(type, variables[name], [], report);
    else if (isNonNullType(type) && definition.defaultValue === undefined) report([], REQUIRED);
    return violations.length > 0 ? [{ definition, violations }] : [];
  });
}

/** Where a value stands in a document, and the type that it should have. */
type ValuePlace = { readonly field: string; readonly type: GraphQLInputType };

const placesOfValues = new WeakMap<ASTNode, ValuePlace>();

/** A validation rule that refuses nothing: it notes the place of each value, for `valueViolation`. */
export function noteValues(context: ValidationContext): ReturnType<ValidationRule> {
  return {
    enter(node, _key, parent, _path, ancestors) {
      const type = isValueNode(node) ? context.getInputType() : undefined;
      if (!type) return;
      const around = parent === undefined ? ancestors : [...ancestors, parent];
      const names = around.flatMap((each) => ('kind' in each ? nameOfInput(each) : []));
      placesOfValues.set(node, { field: names.slice(names.length > 1 ? 1 : 0).join('.'), type });
    },
  };
}

function nameOfInput(node: ASTNode): readonly string[] {
  if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) return [node.name.value];
  return node.kind === Kind.VARIABLE_DEFINITION ? [node.variable.name.value] : [];
}

/** Says what a value in a document should be, if graphql-js has refused it. */
export function valueViolation(node: ValueNode): FieldViolation {
  const { field, type } = placesOfValues.get(node) ?? { field: '', type: undefined };
  // Of a variable, only null gets past the validation where it may not be.
  if (node.kind === Kind.NULL || node.kind === Kind.VARIABLE) return { field, description: NOT_NULL };
  if (type === undefined) return { field, description: 'Must be a value of another type.' };
  const named = getNamedType(type);
  if (node.kind === Kind.OBJECT && isInputObjectType(named)) {
    const names = Object.values(named.getFields())
      .filter(isRequiredInputField)
      .map(({ name }) => name);
    return { field, description: `Must have the fields ${names.join(', ')}.` };
  }
  return { field, description: expectation(type) };
}

/** Whether a node of a document holds, or stands for, a value that a client sends. */
export function isValueNode(node: ASTNode): node is ValueNode {
  return VALUE_KINDS.has(node.kind);
}

const VALUE_KINDS = new Set<string>([
  Kind.VARIABLE,
  Kind.INT,
  Kind.FLOAT,
  Kind.STRING,
  Kind.BOOLEAN,
  Kind.NULL,
  Kind.ENUM,
  Kind.LIST,
  Kind.OBJECT,
]);

const REQUIRED = 'Required.';

const NOT_NULL = 'Must not be null.';

/** Reports what is wrong with a value from JSON. Source: GraphQL specification, section 3, input coercion. */
function checkInput(type: GraphQLInputType, value: unknown, path: Path, report: Report): void {
  if (isNonNullType(type)) {
    if (value === null) report(path, NOT_NULL);
    else checkInput(type.ofType, value, path, report);
  } else if (value === null) {
    // Null is a value of every type that may be null.
  } else if (isListType(type)) {
    if (!Array.isArray(value)) checkInput(type.ofType, value, path, report);
    else for (const [index, item] of value.entries()) checkInput(type.ofType, item, [...path, index], report);
  } else if (isInputObjectType(type)) {
    checkObject(type, value, path, report);
  } else if (!isLeafValue(type, value)) {
    report(path, expectation(type));
  }
}

function checkObject(type: GraphQLInputObjectType, value: unknown, path: Path, report: Report): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    report(path, expectation(type));
    return;
  }
  const fields = type.getFields();
  for (const field of Object.values(fields)) {
    const given = Object.getOwnPropertyDescriptor(value, field.name)?.value;
    if (given !== undefined) checkInput(field.type, given, [...path, field.name], report);
    else if (isRequiredInputField(field)) report([...path, field.name], REQUIRED);
  }
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(fields, name)) continue;
    report([...path, name], `Is not a field of ${type.name}, which takes ${Object.keys(fields).join(', ')}.`);
  }
}

function isLeafValue(type: GraphQLLeafType, value: unknown): boolean {
  try {
    return type.parseValue(value) !== undefined;
  } catch {
    return false;
  }
}

/** What a value of a type must be, as a sentence. */
function expectation(type: GraphQLInputType): string {
  const named = getNamedType(type);
  if (isEnumType(named)) {
    const names = named.getValues().filter(({ deprecationReason }) => deprecationReason == null);
    return `Must be one of ${names.map(({ name }) => name).join(', ')}.`;
  }
  if (isInputObjectType(named)) return `Must be an object with fields of ${named.name}.`;
  return EXPECTATIONS[named.name] ?? `Must be a value of the type ${named.name}.`;
}

const EXPECTATIONS: Readonly<Record<string, string>> = {
  Boolean: 'Must be true or false.',
  Float: 'Must be a number.',
  ID: 'Must be a string.',
  Int: 'Must be a whole number of at most 32 bits.',
  String: 'Must be a string.',
};

/** Names a field as both APIs do: without the input object that holds all fields. */
function fieldName(variable: string, type: GraphQLInputType, path: Path): string {
  const parts = isInputObjectType(getNamedType(type)) && path.length > 0 ? path : [variable, ...path];
  const [first = variable, ...rest] = parts;
  return rest.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : `${name}.${part}`),
    String(first),
  );
}
