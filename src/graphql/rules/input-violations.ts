import {
  type ASTNode,
  type DocumentNode,
  type GraphQLError,
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
  isValueNode,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { FieldViolation } from '../../model/errors.ts';
import { describeUnknownField } from '../../model/fields/fields.ts';
import { isJsonObject } from '../../model/fields/json.ts';
import { isLonger } from './document-limits.ts';

// The error messages of graphql-js contain the invalid value, which can be a password or a private
// key. The errors of variables and of values in documents are therefore made here, without values.

type Path = readonly (string | number)[];

type Violation = { readonly path: Path; readonly description: string };

export type VariableViolation = {
  readonly definition: VariableDefinitionNode;
  readonly violation: FieldViolation;
};

// The check ends with the last one of them. A list can have tens of thousands of invalid items.
const MAX_VIOLATIONS = 20;

type ValuePosition = { readonly field: string; readonly type: GraphQLInputType };

/** Describes the violations of the values in GraphQL requests. */
export class InputViolations {
  readonly #schema: GraphQLSchema;
  readonly #isSchemaPublic: boolean;
  readonly #positions = new WeakMap<ASTNode, ValuePosition>();

  /** @param isSchemaPublic whether a description can list the names in the schema */
  constructor(schema: GraphQLSchema, isSchemaPublic: boolean) {
    this.#schema = schema;
    this.#isSchemaPublic = isSchemaPublic;
  }

  /**
   * Returns the violations of the variables of an operation, which graphql-js would reject, at most 20.
   *
   * @param maxItems the maximum number of items of the variables that are lists, by name
   */
  ofVariables(
    { variableDefinitions = [] }: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
    maxItems: ReadonlyMap<string, number>,
  ): readonly VariableViolation[] {
    const violations = variableDefinitions.values().flatMap((definition) => {
      const name = definition.variable.name.value;
      const type = typeFromAST(this.#schema, definition.type);
      if (!isInputType(type)) return [];
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      return this.#checkVariable(definition, type, value, maxItems.get(name)).map(
        ({ path, description }) => ({
          definition,
          violation: { field: fieldName(name, type, path), description },
        }),
      );
    });
    return violations.take(MAX_VIOLATIONS).toArray();
  }

  /** @param value undefined if the request does not have the variable */
  *#checkVariable(
    { defaultValue }: VariableDefinitionNode,
    type: GraphQLInputType,
    value: unknown,
    maxItems = Number.POSITIVE_INFINITY,
  ): Generator<Violation> {
    if (isLonger(value, maxItems)) yield { path: [], description: `Must have at most ${maxItems} items.` };
    else if (value !== undefined) yield* this.#check(type, value, []);
    else if (isNonNullType(type) && defaultValue === undefined) yield { path: [], description: REQUIRED };
  }

  /** Finds the positions of the values in a document that graphql-js has rejected, for `ofValue`. */
  locate(document: DocumentNode, errors: readonly GraphQLError[]): void {
    const nodes = errors.flatMap((error) => error.nodes?.filter(isValueNode) ?? []);
    if (nodes.length === 0) return;
    const typeInfo = new TypeInfo(this.#schema);
    const enter = (
      node: ASTNode,
      _key: unknown,
      parent: ASTNode | readonly ASTNode[] | undefined,
      _path: unknown,
      ancestors: readonly (ASTNode | readonly ASTNode[])[],
    ) => {
      const type = nodes.some((value) => value === node) ? typeInfo.getInputType() : undefined;
      if (!type) return;
      const path = parent === undefined ? ancestors : [...ancestors, parent];
      const names = path.flatMap((ancestor) => ('kind' in ancestor ? inputName(ancestor) : []));
      this.#positions.set(node, { field: names.slice(names.length > 1 ? 1 : 0).join('.'), type });
    };
    visit(document, visitWithTypeInfo(typeInfo, { enter }));
  }

  /** Returns the violation of a value in a document that graphql-js has rejected. */
  ofValue(node: ValueNode): FieldViolation {
    const { field, type } = this.#positions.get(node) ?? { field: '', type: undefined };
    // Null is the only invalid value of a variable that the validation does not detect.
    if (node.kind === Kind.NULL || node.kind === Kind.VARIABLE) return { field, description: NOT_NULL };
    if (type === undefined) return { field, description: CORRECT_TYPE };
    const named = getNamedType(type);
    if (node.kind === Kind.OBJECT && isInputObjectType(named)) {
      const names = Object.values(named.getFields())
        .filter(isRequiredInputField)
        .map(({ name }) => name);
      const description = this.#isSchemaPublic ? `Must have the fields ${names.join(', ')}.` : CORRECT_TYPE;
      return { field, description };
    }
    return { field, description: this.#describeType(type) };
  }

  /** Yields the violations of a JSON value. Source: GraphQL specification, section 3, input coercion. */
  *#check(type: GraphQLInputType, value: unknown, path: Path): Generator<Violation> {
    if (isNonNullType(type)) {
      if (value === null) yield { path, description: NOT_NULL };
      else yield* this.#check(type.ofType, value, path);
    } else if (value === null) {
      // Null is a value of every nullable type.
    } else if (isListType(type)) {
      if (!Array.isArray(value)) yield* this.#check(type.ofType, value, path);
      else for (const [n, item] of value.entries()) yield* this.#check(type.ofType, item, [...path, n]);
    } else if (isInputObjectType(type)) {
      yield* this.#checkObject(type, value, path);
    } else if (!isLeafValue(type, value)) {
      yield { path, description: this.#describeType(type) };
    }
  }

  *#checkObject(type: GraphQLInputObjectType, value: unknown, path: Path): Generator<Violation> {
    if (!isJsonObject(value)) {
      yield { path, description: this.#describeType(type) };
      return;
    }
    const fields = type.getFields();
    for (const field of Object.values(fields)) {
      const fieldValue = Object.getOwnPropertyDescriptor(value, field.name)?.value;
      if (fieldValue !== undefined) yield* this.#check(field.type, fieldValue, [...path, field.name]);
      else if (isRequiredInputField(field)) yield { path: [...path, field.name], description: REQUIRED };
    }
    const known = this.#isSchemaPublic ? `Fields of ${type.name}: ${Object.keys(fields).join(', ')}.` : '';
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(fields, name))
        yield { path: [...path, name], description: describeUnknownField(name, known) };
    }
  }

  /** Returns a sentence that describes the valid values of a type. */
  #describeType(type: GraphQLInputType): string {
    const named = getNamedType(type);
    if (isEnumType(named)) {
      if (!this.#isSchemaPublic) return CORRECT_TYPE;
      const names = named.getValues().filter(({ deprecationReason }) => deprecationReason == null);
      return `Must be one of ${names.map(({ name }) => name).join(', ')}.`;
    }
    if (isInputObjectType(named)) return `Must be an object with fields of ${named.name}.`;
    return TYPE_DESCRIPTIONS[named.name] ?? `Must be a value of the type ${named.name}.`;
  }
}

function inputName(node: ASTNode): readonly string[] {
  if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) return [node.name.value];
  return node.kind === Kind.VARIABLE_DEFINITION ? [node.variable.name.value] : [];
}

const REQUIRED = 'Required.';

const NOT_NULL = 'Must not be null.';

const CORRECT_TYPE = 'Must be a value of the correct type.';

function isLeafValue(type: GraphQLLeafType, value: unknown): boolean {
  try {
    return type.parseValue(value) !== undefined;
  } catch {
    return false;
  }
}

const TYPE_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Boolean: 'Must be true or false.',
  Float: 'Must be a number.',
  ID: 'Must be a string.',
  Int: 'Must be a 32-bit integer.',
  String: 'Must be a string.',
};

/**
 * Returns the path of a field. The name of a variable whose type is an input object is omitted, so
 * a field has the same name as in REST.
 */
function fieldName(variable: string, type: GraphQLInputType, path: Path): string {
  const parts = isInputObjectType(getNamedType(type)) && path.length > 0 ? path : [variable, ...path];
  const [first = variable, ...rest] = parts;
  return rest.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : `${name}.${part}`),
    String(first),
  );
}
