import {
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
import {
  type Complete,
  type CompleteObject,
  type Field,
  isPromise,
  listCompleter,
  objectCompleter,
  type Path,
  type Place,
  type Run,
} from './complete.ts';
import type { Values } from './input-values.ts';
import { definitionOf, type InfoOf, infoMaker, noInfo, resolverOf, wantsInfo } from './resolve-field.ts';
import { type Fragments, selectFields } from './select-fields.ts';

/** What is compiled. */
export type Source = {
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
};

/** Where a value stands that is completed. */
type Selected = {
  /** The field's name with its type, for errors. */
  readonly fieldName: string;
  readonly nodes: readonly FieldNode[];
  readonly infoOf: InfoOf;
  readonly settled: Values;
};

/**
 * What is done for each field that is a scalar and takes neither arguments nor information: the same
 * wherever it is selected, and shared, so that the processor's caches hold what many operations need.
 */
const simpleWork = new WeakMap<GraphQLField<unknown, unknown>, Pick<Field, 'resolve' | 'complete'>>();

/**
 * Makes the function that compiles the fields of an operation's root.
 *
 * @param isFixed whether it is called but once, so that the source can be let go once all of it is
 *   compiled: it is what takes the most memory
 * @returns the function; it takes the variables that decide what is skipped or included
 */
export function fieldCompiler(
  schema: GraphQLSchema,
  root: GraphQLObjectType,
  source: Source,
  isFixed: boolean,
): (settled: Values) => readonly Field[] {
  const held: { source?: Source } = { source };
  let uncompiled = 0;

  return (settled) => {
    const fields = fieldsOf(root, [sourceNow().operation.selectionSet], settled);
    letGo();
    return fields;
  };

  function sourceNow(): Source {
    if (held.source === undefined) throw new Error('All of the operation had been compiled.');
    return held.source;
  }

  function letGo(): void {
    if (uncompiled === 0 && isFixed) delete held.source;
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
        complete: completerOf(returnType, {
          fieldName: `${parentType.name}.${name.value}`,
          nodes,
          infoOf,
          settled,
        }),
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

  function completerOf(type: GraphQLOutputType, selected: Selected): Complete {
    const nullable = isNonNullType(type) ? type.ofType : type;
    const { fieldName } = selected;
    const complete = nonNullCompleterOf(nullable, selected);
    return (value, run, path) => {
      if (value instanceof Error) throw value;
      if (value !== null && value !== undefined) return complete(value, run, path);
      if (nullable === type) return null;
      throw new Error(`Cannot return null for non-nullable field ${fieldName}.`);
    };
  }

  function nonNullCompleterOf(type: GraphQLOutputType, selected: Selected): Complete {
    const { nodes, infoOf, settled } = selected;
    if (isLeafType(type)) {
      return (value) => {
        const leaf = type.serialize(value);
        if (leaf === null || leaf === undefined) throw new Error(`A ${type.name} came out as nothing.`);
        return leaf;
      };
    }
    if (isListType(type)) {
      return listCompleter(completerOf(type.ofType, selected), placesOf(nodes), isNonNullType(type.ofType));
    }
    const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    if (isObjectType(type)) return lateCompleterOf(type, below, settled);
    if (!isAbstractType(type)) throw new Error(`A field is of the type ${type}.`);

    const resolveType = type.resolveType ?? defaultTypeResolver;
    const completers = new Map<string, Complete>();
    for (const each of schema.getPossibleTypes(type)) {
      completers.set(each.name, lateCompleterOf(each, [...below], settled));
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
