import {
  type ASTNode,
  BREAK,
  type DocumentNode,
  defaultFieldResolver,
  defaultTypeResolver,
  type FieldNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLID,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  GraphQLString,
  getArgumentValues,
  getDirectiveValues,
  getNullableType,
  getVariableValues,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  locatedError,
  type NamedTypeNode,
  type OperationDefinitionNode,
  responsePathAsArray,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  visit,
} from 'graphql';

type Path = GraphQLResolveInfo['path'];
type Variables = Readonly<Record<string, unknown>>;
type MaybePromise<T> = T | Promise<T>;

/** What an operation came to. */
export type Outcome = {
  /** For JSON, as it is. */
  readonly data: object | null;
  readonly errors: readonly GraphQLError[];
};

/** An operation that is ready to be executed, as often as wanted. */
export type CompiledOperation = {
  /**
   * Executes it, as `execute` of graphql-js does.
   *
   * @param sent the variables as the client sent them
   * @returns undefined if they do not fit, in which case nothing has been executed
   */
  run(context: unknown, sent: Variables): Outcome | Promise<Outcome> | undefined;
};

/** One execution. */
type Run = {
  readonly context: unknown;
  readonly variables: Variables;
  readonly errors: GraphQLError[];
  /** The places that an error has made null. Undefined stands for all of `data`. */
  readonly nulled: Set<Path | undefined>;
};

/** Makes what a resolver gave ready for JSON. @throws what makes it null, or else what is around it */
type Complete = (value: unknown, run: Run, path: Path) => unknown;

type InfoOf = (run: Run, path: Path) => GraphQLResolveInfo;

type Field = {
  readonly key: string;
  readonly parentName: string;
  readonly nodes: readonly FieldNode[];
  readonly isNonNull: boolean;
  readonly needsPath: boolean;
  /** The property of the object that the field is, if it is text. */
  readonly textProperty: string | undefined;
  readonly resolve: (source: unknown, run: Run, path: Path) => unknown;
  readonly complete: Complete;
};

/**
 * Compiles an operation of a valid document into functions that make its answer.
 * What graphql-js finds out for each request, and for each item of a list, is found
 * out once: which fields there are, how each is resolved, and how its value becomes
 * JSON. What an answer holds, and the order of its errors, is as with graphql-js.
 * Source: GraphQL specification, section 6.
 */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CompiledOperation {
  const rootType = schema.getRootType(operation.operation);
  if (rootType == null) throw new Error(`The schema has no ${operation.operation}s.`);
  const fragments = Object.fromEntries(
    document.definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );
  const switches = switchesOf(document);
  const programs = new Map<string, readonly Field[]>();

  return {
    run(context, sent) {
      const { coerced: variables } = getVariableValues(schema, operation.variableDefinitions ?? [], sent);
      if (variables === undefined) return undefined;
      const run: Run = { context, variables, errors: [], nulled: new Set() };
      try {
        const program = programFor(rootType, variables);
        const data =
          operation.operation === 'mutation'
            ? completeInTurn(program, run)
            : completeObject(program, undefined, run, undefined);
        if (!isPromise(data)) return { data, errors: run.errors };
        return data.then(
          (object) => ({ data: object, errors: run.errors }),
          (error) => withoutData(run, error),
        );
      } catch (error) {
        return withoutData(run, error);
      }
    },
  };

  /** What is skipped or included is settled beforehand: there is one program for each case that comes up. */
  function programFor(type: GraphQLObjectType, variables: Variables): readonly Field[] {
    const settled = Object.fromEntries(
      switches.filter((name) => Object.hasOwn(variables, name)).map((name) => [name, variables[name]]),
    );
    const situation = JSON.stringify(settled);
    let program = programs.get(situation);
    if (program === undefined) {
      program = fieldsOf(type, [operation.selectionSet], settled);
      programs.set(situation, program);
    }
    return program;
  }

  /** The fields of an object, each of which may be selected in several places. */
  function fieldsOf(
    type: GraphQLObjectType,
    selected: readonly SelectionSetNode[],
    settled: Variables,
  ): readonly Field[] {
    const nodesByKey = new Map<string, FieldNode[]>();
    const visited = new Set<string>();
    for (const set of selected) collect(set, type, settled, nodesByKey, visited);
    return [...nodesByKey].map(([key, nodes]) => fieldOf(type, key, nodes, settled));
  }

  /** Source: GraphQL specification, CollectFields. */
  function collect(
    { selections }: SelectionSetNode,
    type: GraphQLObjectType,
    settled: Variables,
    nodesByKey: Map<string, FieldNode[]>,
    visited: Set<string>,
  ): void {
    for (const selection of selections) {
      if (getDirectiveValues(GraphQLSkipDirective, selection, settled)?.['if'] === true) continue;
      if (getDirectiveValues(GraphQLIncludeDirective, selection, settled)?.['if'] === false) continue;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const nodes = nodesByKey.get(key) ?? [];
        nodes.push(selection);
        nodesByKey.set(key, nodes);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (appliesTo(selection.typeCondition, type))
          collect(selection.selectionSet, type, settled, nodesByKey, visited);
      } else if (!visited.has(selection.name.value)) {
        visited.add(selection.name.value);
        const fragment = fragments[selection.name.value];
        if (fragment && appliesTo(fragment.typeCondition, type))
          collect(fragment.selectionSet, type, settled, nodesByKey, visited);
      }
    }
  }

  function appliesTo(condition: NamedTypeNode | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined) return true;
    const conditional = schema.getType(condition.name.value);
    return conditional === type || (isAbstractType(conditional) && schema.isSubType(conditional, type));
  }

  function fieldOf(
    parentType: GraphQLObjectType,
    key: string,
    nodes: readonly FieldNode[],
    settled: Variables,
  ): Field {
    const [node] = nodes;
    if (node === undefined) throw new Error(`The field ${key} is selected nowhere.`);
    const definition = definitionOf(schema, parentType, node.name.value);
    const { type: returnType, resolve = defaultFieldResolver } = definition;
    const always = {
      fieldName: node.name.value,
      fieldNodes: nodes,
      returnType,
      parentType,
      schema,
      fragments,
      rootValue: undefined,
      operation,
    };
    const infoOf: InfoOf = (run, path) => ({
      ...always,
      path,
      variableValues: { ...run.variables },
    });
    return {
      key,
      parentName: parentType.name,
      nodes,
      isNonNull: isNonNullType(returnType),
      textProperty:
        resolve === defaultFieldResolver && isText(getNullableType(returnType)) ? definition.name : undefined,
      needsPath: !isLeafType(getNullableType(returnType)) || wantsInfo(resolve),
      resolve: resolverOf(resolve, node, definition, infoOf),
      complete: completerOf(returnType, nodes, infoOf, settled),
    };
  }

  function completerOf(
    type: GraphQLOutputType,
    nodes: readonly FieldNode[],
    infoOf: InfoOf,
    settled: Variables,
  ): Complete {
    const nullable = isNonNullType(type) ? type.ofType : type;
    const complete = nonNullCompleterOf(nullable, nodes, infoOf, settled);
    return (value, run, path) => {
      if (value instanceof Error) throw value;
      if (value !== null && value !== undefined) return complete(value, run, path);
      if (nullable === type) return null;
      const { parentType, fieldName } = infoOf(run, path);
      throw new Error(`Cannot return null for non-nullable field ${parentType.name}.${fieldName}.`);
    };
  }

  function nonNullCompleterOf(
    type: GraphQLOutputType,
    nodes: readonly FieldNode[],
    infoOf: InfoOf,
    settled: Variables,
  ): Complete {
    if (isLeafType(type)) {
      return (value) => {
        const leaf = type.serialize(value);
        if (leaf === null || leaf === undefined) throw new Error(`A ${type.name} came out as nothing.`);
        return leaf;
      };
    }
    if (isListType(type)) {
      return listCompleter(
        completerOf(type.ofType, nodes, infoOf, settled),
        nodes,
        isNonNullType(type.ofType),
      );
    }
    const selected = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const fieldsOfType = new Map<GraphQLObjectType, readonly Field[]>();
    const completeAs = (objectType: GraphQLObjectType, value: unknown, run: Run, path: Path) => {
      let fields = fieldsOfType.get(objectType);
      if (fields === undefined) {
        fields = fieldsOf(objectType, selected, settled);
        fieldsOfType.set(objectType, fields);
      }
      return completeObject(fields, value, run, path);
    };
    if (isObjectType(type)) {
      let fields: readonly Field[] | undefined;
      return (value, run, path) => {
        fields ??= fieldsOf(type, selected, settled);
        return completeObject(fields, value, run, path);
      };
    }
    if (!isAbstractType(type)) throw new Error(`A field is of the type ${type}.`);

    const resolveType = type.resolveType ?? defaultTypeResolver;
    const objectTypeOf = (name: unknown) => {
      const found = typeof name === 'string' ? schema.getType(name) : undefined;
      if (isObjectType(found) && schema.isSubType(type, found)) return found;
      throw new Error(`The type of a ${type.name} cannot be told.`);
    };
    return (value, run, path) => {
      const name = resolveType(value, run.context, infoOf(run, path), type);
      return isPromise(name)
        ? name.then((resolved) => completeAs(objectTypeOf(resolved), value, run, path))
        : completeAs(objectTypeOf(name), value, run, path);
    };
  }
}

const NOWHERE: Path = { prev: undefined, key: '', typename: undefined };

type Completed = Record<string, unknown>;

/** Completes an object, whose fields are all begun before any is waited for. */
function completeObject(
  fields: readonly Field[],
  source: unknown,
  run: Run,
  path: Path | undefined,
): MaybePromise<Completed> {
  const object: Completed = {};
  let pending: Promise<void>[] | undefined;
  try {
    for (const field of fields) {
      const value = textOf(field, source) ?? completeField(field, source, run, path);
      // A promise keeps the place of its value among the others.
      object[field.key] = value;
      if (isPromise(value)) {
        pending ??= [];
        pending.push(
          value.then((completed) => {
            object[field.key] = completed;
          }),
        );
      }
    }
  } catch (error) {
    if (pending === undefined) throw error;
    // None of the others may fail without anybody who listens.
    return Promise.all(pending).finally(() => {
      throw error;
    }) as Promise<never>;
  }
  return pending === undefined ? object : Promise.all(pending).then(() => object);
}

/** The value of a field that is but text which its object has, as most are. */
function textOf({ textProperty }: Field, source: unknown): string | undefined {
  if (textProperty === undefined) return undefined;
  const value = (source as Readonly<Record<string, unknown>>)[textProperty];
  return typeof value === 'string' ? value : undefined;
}

/** Completes the object of a mutation, whose fields are begun one after another. */
async function completeInTurn(fields: readonly Field[], run: Run): Promise<Completed> {
  const object: Completed = {};
  for (const field of fields) object[field.key] = await completeField(field, undefined, run, undefined);
  return object;
}

function completeField(field: Field, source: unknown, run: Run, around: Path | undefined): unknown {
  const placeOf = () => ({ prev: around, key: field.key, typename: field.parentName });
  // Most fields are values that nobody asks for the place of, unless they fail.
  const path = field.needsPath ? placeOf() : NOWHERE;
  const failedHere = (error: unknown) =>
    failed(error, field.nodes, field.isNonNull, run, field.needsPath ? path : placeOf());
  try {
    const value = field.resolve(source, run, path);
    const completed = isPromise(value)
      ? value.then((resolved) => field.complete(resolved, run, path))
      : field.complete(value, run, path);
    return isPromise(completed) ? completed.then(undefined, failedHere) : completed;
  } catch (error) {
    return failedHere(error);
  }
}

function listCompleter(complete: Complete, nodes: readonly FieldNode[], isItemNonNull: boolean): Complete {
  const completeItem = (item: unknown, run: Run, path: Path): unknown => {
    try {
      const completed = isPromise(item)
        ? item.then((resolved) => complete(resolved, run, path))
        : complete(item, run, path);
      return isPromise(completed)
        ? completed.then(undefined, (error: unknown) => failed(error, nodes, isItemNonNull, run, path))
        : completed;
    } catch (error) {
      return failed(error, nodes, isItemNonNull, run, path);
    }
  };
  return (value, run, path) => {
    const items = Array.from(value as Iterable<unknown>, (item, index) =>
      completeItem(item, run, { prev: path, key: index, typename: undefined }),
    );
    return items.some(isPromise) ? Promise.all(items) : items;
  };
}

/** Makes what failed null, or else throws on, to what is around it. */
function failed(
  thrown: unknown,
  nodes: readonly FieldNode[],
  isNonNull: boolean,
  run: Run,
  path: Path,
): null {
  const error = locatedError(thrown, nodes, responsePathAsArray(path));
  if (isNonNull) throw error;
  note(run, error, path);
  return null;
}

function withoutData(run: Run, error: unknown): Outcome {
  note(run, error as GraphQLError, undefined);
  return { data: null, errors: run.errors };
}

/** Notes an error, unless its place has been made null already by another. */
function note({ errors, nulled }: Run, error: GraphQLError, path: Path | undefined): void {
  for (let place = path; ; place = place.prev) {
    if (nulled.has(place)) return;
    if (place === undefined) break;
  }
  nulled.add(path);
  errors.push(error);
}

/** Makes the function that calls a field's resolver with its arguments. */
function resolverOf(
  resolve: GraphQLFieldResolver<unknown, unknown>,
  node: FieldNode,
  definition: GraphQLField<unknown, unknown>,
  infoOf: InfoOf,
): Field['resolve'] {
  if (resolve === defaultFieldResolver && definition.args.length === 0) {
    const { name } = definition;
    return (source, run, path) => {
      const value = (source as Readonly<Record<string, unknown>> | undefined)?.[name];
      return typeof value === 'function' ? resolve(source, {}, run.context, infoOf(run, path)) : value;
    };
  }
  const fixed = hasVariables(node.arguments ?? []) ? undefined : argumentsWithout(definition, node);
  const withInfo = wantsInfo(resolve);
  return (source, run, path) => {
    const values = fixed ?? getArgumentValues(definition, node, run.variables);
    return withInfo
      ? resolve(source, values, run.context, infoOf(run, path))
      : (resolve as (...few: readonly unknown[]) => unknown)(source, values, run.context);
  };
}

/** How a scalar that is text is serialised: as it is. */
export const asItIs = (value: unknown): unknown => value;

function isText(type: GraphQLOutputType): boolean {
  return type === GraphQLString || type === GraphQLID || (isScalarType(type) && type.serialize === asItIs);
}

/** Whether a resolver takes the information on its field, which has to be made for each call. */
function wantsInfo(resolve: GraphQLFieldResolver<unknown, unknown>): boolean {
  return resolve !== defaultFieldResolver && resolve.length > 3;
}

/** The arguments that are the same each time, or undefined if they are wrong each time. */
function argumentsWithout(definition: GraphQLField<unknown, unknown>, node: FieldNode) {
  try {
    return getArgumentValues(definition, node);
  } catch {
    return undefined;
  }
}

function definitionOf(
  schema: GraphQLSchema,
  parentType: GraphQLObjectType,
  name: string,
): GraphQLField<unknown, unknown> {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  const definition =
    parentType === schema.getQueryType() && name === SchemaMetaFieldDef.name
      ? SchemaMetaFieldDef
      : parentType === schema.getQueryType() && name === TypeMetaFieldDef.name
        ? TypeMetaFieldDef
        : parentType.getFields()[name];
  if (definition === undefined) throw new Error(`A valid document selects ${name}, which is not there.`);
  return definition;
}

/** The names of the variables that decide what is skipped or included. */
function switchesOf(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive({ name, arguments: given = [] }) {
      if (name.value !== GraphQLSkipDirective.name && name.value !== GraphQLIncludeDirective.name) return;
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}

function hasVariables(nodes: readonly ASTNode[]): boolean {
  let found = false;
  for (const node of nodes) {
    visit(node, {
      Variable() {
        found = true;
        return BREAK;
      },
    });
  }
  return found;
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
