import {
  type DocumentNode,
  defaultFieldResolver,
  defaultTypeResolver,
  type FieldNode,
  type GraphQLField,
  GraphQLID,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from 'graphql';
import { LruCache } from '../../model/lru-cache.ts';
import {
  type Complete,
  type CompleteObject,
  completeInTurn,
  type Field,
  isPromise,
  listCompleter,
  type Outcome,
  objectCompleter,
  outcomeOf,
  type Path,
  type Place,
  type Run,
} from './complete.ts';
import { type Values, variableReader } from './input-values.ts';
import { definitionOf, type InfoOf, infoMaker, noInfo, resolverOf, wantsInfo } from './resolve-field.ts';
import { type Fragments, fragmentsOf, selectFields, switchesOf } from './select-fields.ts';

/** An operation that is ready to be executed, as often as wanted. */
export type CompiledOperation = {
  /**
   * Executes it, as `execute` of graphql-js does.
   *
   * @param sent the variables as the client sent them
   * @returns undefined if they do not fit, in which case nothing has been executed
   */
  run(context: unknown, sent: Values): Outcome | Promise<Outcome> | undefined;
};

type Program = (run: Run) => object | Promise<object>;

// Of what is skipped and included, few cases come up, but a client could make up many.
const MOST_PROGRAMS = 16;

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
  return compile(schema, { operation, fragments: fragmentsOf(document) }, switchesOf(document));
}

/**
 * What is done for each field that is a scalar and takes neither arguments nor information: the same
 * wherever it is selected, and shared, so that the processor's caches hold what many operations need.
 */
const simpleWork = new WeakMap<GraphQLField<unknown, unknown>, Pick<Field, 'resolve' | 'complete'>>();

/** What is compiled. */
type Source = {
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
};

function compile(schema: GraphQLSchema, source: Source, switches: readonly string[]): CompiledOperation {
  const { operation: kind, variableDefinitions = [] } = source.operation;
  const rootType = schema.getRootType(kind);
  if (rootType == null) throw new Error(`The schema has no ${kind}s.`);
  const root = rootType;
  const readVariables = variableReader(schema, variableDefinitions);
  const programs = new LruCache<Program>(MOST_PROGRAMS);
  let onlyProgram: Program | undefined;
  // Of what takes the most memory nothing is needed once all of it is compiled.
  const held: { source?: Source } = { source };
  let uncompiled = 0;

  return {
    run(context, sent) {
      const variables = readVariables(sent);
      if (variables === undefined) return undefined;
      const run: Run = { context, variables, errors: [], nulled: new Set() };
      return outcomeOf(run, () => programFor(variables)(run));
    },
  };

  /** What is skipped or included is settled beforehand: there is one program for each case that comes up. */
  function programFor(variables: Values): Program {
    if (onlyProgram !== undefined) return onlyProgram;
    const situation = switches.map((name) => String(variables[name])).join();
    let program = programs.get(situation);
    if (program === undefined) {
      const given = switches.filter((name) => Object.hasOwn(variables, name));
      const settled = Object.fromEntries(given.map((name) => [name, variables[name]]));
      program = makeProgram(settled);
      programs.set(situation, program, 1);
    }
    return program;
  }

  function makeProgram(settled: Values): Program {
    const { selectionSet } = sourceNow().operation;
    const program = programOf(fieldsOf(root, [selectionSet], settled));
    if (switches.length === 0) onlyProgram = program;
    letGo();
    return program;
  }

  function programOf(fields: readonly Field[]): Program {
    if (kind === 'mutation') return (run) => completeInTurn(fields, run);
    const completeRoot = objectCompleter(fields);
    return (run) => completeRoot(undefined, run, undefined);
  }

  function sourceNow(): Source {
    if (held.source === undefined) throw new Error('All of the operation had been compiled.');
    return held.source;
  }

  function letGo(): void {
    if (uncompiled === 0 && switches.length === 0) delete held.source;
  }

  function fieldsOf(
    type: GraphQLObjectType,
    selected: readonly SelectionSetNode[],
    settled: Values,
  ): readonly Field[] {
    const nodesByKey = selectFields(schema, sourceNow().fragments, type, selected, settled);
    return [...nodesByKey].map(([key, nodes]) => fieldOf(type, key, nodes, settled));
  }

  function fieldOf(
    parentType: GraphQLObjectType,
    key: string,
    nodes: readonly FieldNode[],
    settled: Values,
  ): Field {
    const [node] = nodes;
    if (node === undefined) throw new Error(`The field ${key} is selected nowhere.`);
    const definition = definitionOf(schema, parentType, node.name.value);
    const { type: returnType, resolve = defaultFieldResolver } = definition;
    const { name } = node;
    const infoOf: InfoOf =
      wantsInfo(resolve) || isAbstractType(getNamedType(returnType))
        ? infoMaker({
            ...sourceNow(),
            fieldName: name.value,
            fieldNodes: nodes,
            returnType,
            parentType,
            schema,
          })
        : noInfo;
    const isSimple = isLeafType(getNullableType(returnType)) && definition.args.length === 0;
    let work = isSimple ? simpleWork.get(definition) : undefined;
    if (work === undefined) {
      work = {
        resolve: resolverOf(resolve, node, definition, infoOf),
        complete: completerOf(returnType, `${parentType.name}.${name.value}`, nodes, infoOf, settled),
      };
      if (isSimple && infoOf === noInfo) simpleWork.set(definition, work);
    }
    return {
      key,
      parentName: parentType.name,
      places: placesOf(nodes),
      isNonNull: isNonNullType(returnType),
      textProperty:
        resolve === defaultFieldResolver && isText(getNullableType(returnType)) ? definition.name : undefined,
      constant: definition === TypeNameMetaFieldDef ? parentType.name : undefined,
      needsPath: !isLeafType(getNullableType(returnType)) || wantsInfo(resolve),
      ...work,
    };
  }

  function completerOf(
    type: GraphQLOutputType,
    fieldName: string,
    nodes: readonly FieldNode[],
    infoOf: InfoOf,
    settled: Values,
  ): Complete {
    const nullable = isNonNullType(type) ? type.ofType : type;
    const complete = nonNullCompleterOf(nullable, fieldName, nodes, infoOf, settled);
    return (value, run, path) => {
      if (value instanceof Error) throw value;
      if (value !== null && value !== undefined) return complete(value, run, path);
      if (nullable === type) return null;
      throw new Error(`Cannot return null for non-nullable field ${fieldName}.`);
    };
  }

  function nonNullCompleterOf(
    type: GraphQLOutputType,
    fieldName: string,
    nodes: readonly FieldNode[],
    infoOf: InfoOf,
    settled: Values,
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
        completerOf(type.ofType, fieldName, nodes, infoOf, settled),
        placesOf(nodes),
        isNonNullType(type.ofType),
      );
    }
    const selected = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    if (isObjectType(type)) return lateCompleterOf(type, selected, settled);
    if (!isAbstractType(type)) throw new Error(`A field is of the type ${type}.`);

    const resolveType = type.resolveType ?? defaultTypeResolver;
    const completers = new Map<string, Complete>();
    for (const each of schema.getPossibleTypes(type)) {
      completers.set(each.name, lateCompleterOf(each, [...selected], settled));
    }
    const completeAs = (name: unknown, value: unknown, run: Run, path: Path) => {
      const complete = completers.get(String(name));
      if (complete === undefined) throw new Error(`The type of a ${type.name} cannot be told.`);
      return complete(value, run, path);
    };
    return (value, run, path) => {
      const name: unknown = resolveType(value, run.context, infoOf(run, path), type);
      return isPromise(name)
        ? name.then((resolved) => completeAs(resolved, value, run, path))
        : completeAs(name, value, run, path);
    };
  }

  /** Compiles the fields of an object when there is one, since what is wrong with them is an error of its place. */
  function lateCompleterOf(type: GraphQLObjectType, selected: SelectionSetNode[], settled: Values): Complete {
    let completeObject: CompleteObject | undefined;
    uncompiled += 1;
    return (value, run, path) => {
      if (completeObject === undefined) {
        completeObject = objectCompleter(fieldsOf(type, selected, settled));
        selected.length = 0;
        uncompiled -= 1;
        letGo();
      }
      return completeObject(value, run, path);
    };
  }
}

/** Where the nodes are, which is all that errors tell of them. */
function placesOf(nodes: readonly FieldNode[]): readonly Place[] {
  return nodes.map(({ kind, loc }) => ({ kind, loc }));
}

/** How a scalar that is text is serialised: as it is. */
export const asItIs = (value: unknown): unknown => value;

function isText(type: GraphQLOutputType): boolean {
  return type === GraphQLString || type === GraphQLID || (isScalarType(type) && type.serialize === asItIs);
}
