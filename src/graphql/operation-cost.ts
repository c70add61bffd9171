import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../model/page.ts';
import { type Fragments, MergedFields, type SelectedField } from './merged-fields.ts';

/** The maximum length of a list in this schema. */
export const MAX_LIST_LENGTH = MAX_PAGE_SIZE;

const META_FIELDS = [SchemaMetaFieldDef, TypeMetaFieldDef];

/**
 * The average lengths of the lists of introspection in this schema. A single type counts as all types, because its lists
 * can be the longest ones.
 */
const INTROSPECTION_LENGTHS: Readonly<Record<string, number>> = {
  [TypeMetaFieldDef.name]: 45,
  queryType: 45,
  mutationType: 45,
  types: 45,
  directives: 5,
  fields: 2.7,
  args: 0.3,
  inputFields: 0.5,
  enumValues: 0.8,
  interfaces: 0.1,
  possibleTypes: 0.3,
  locations: 3,
};

const NO_PAGE = -1;

/** The number of objects in the response, and the length of their lists if they are pages, or `NO_PAGE`. */
type Place = { readonly count: number; readonly pageSize: number };

type Selections = { readonly set: SelectionSetNode; readonly parent: string | undefined };

/**
 * The cost of an operation or a fragment, with its fragments expanded. Selections of an object with
 * the same response key are one field of the response.
 *
 * A list counts as 100 items, or as the number of ids in the document. The lists of a page count as
 * the page size in the document, or as the default page size. Those of introspection count as their
 * average length in this schema. Below a field that does not exist, nothing is counted.
 */
export class OperationCost {
  /** The selected fields. */
  fields = 0;
  /** The pairs of selections of the same field, and of fragments in the same object. Validation compares them. */
  pairs = 0;
  /** The root fields and the pages. Each is a call of the data layer. */
  dataFields = 0;
  /** The fields of the response. Each item of a page is one more, because it is read even if it is not selected. */
  responseFields = 0;
  readonly #schema: GraphQLSchema;
  readonly #fragments: Fragments;
  readonly #isTooHigh: (cost: OperationCost) => boolean;

  /** @param isTooHigh whether the rest is not counted */
  constructor(
    schema: GraphQLSchema,
    fragments: Fragments,
    definition: OperationDefinitionNode | FragmentDefinitionNode,
    isTooHigh: (cost: OperationCost) => boolean = () => false,
  ) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#isTooHigh = isTooHigh;
    const isOperation = definition.kind === Kind.OPERATION_DEFINITION;
    const parent = isOperation
      ? schema.getRootType(definition.operation)?.name
      : definition.typeCondition.name.value;
    // A fragment by itself has no response.
    const place = { count: isOperation ? 1 : 0, pageSize: NO_PAGE };
    this.#addObject([{ set: definition.selectionSet, parent }], place);
  }

  #addObject(selections: readonly Selections[], place: Place): void {
    const merged = new MergedFields(this.#fragments);
    for (const { set, parent } of selections) merged.add(set, parent);
    this.pairs += pairsOf(merged.fragmentCount);
    for (const selected of merged.byKey.values()) {
      if (this.#isTooHigh(this)) return;
      this.#addField(selected, place);
    }
  }

  /** Adds a field of the response. Its selections can have different types and arguments: the largest one counts. */
  #addField(selected: readonly SelectedField[], place: Place): void {
    const fields = selected.map(({ node, parent }) => ({
      node,
      ...this.#fieldOf(node, parent, place.pageSize),
    }));
    const pageSize = Math.max(...fields.map((field) => field.pageSize));
    const isPage = pageSize > NO_PAGE;
    this.fields += fields.length;
    this.pairs += pairsOf(fields.length);
    if (isPage || fields.some(({ isRoot }) => isRoot)) this.dataFields += 1;
    this.responseFields += place.count * (isPage ? 1 + pageSize : 1);
    const selections = fields.flatMap(({ node: { selectionSet: set }, type: parent }) =>
      set ? [{ set, parent }] : [],
    );
    if (selections.length === 0) return;
    const count = place.count * Math.max(...fields.map(({ length }) => length));
    this.#addObject(selections, { count, pageSize });
  }

  #fieldOf(node: FieldNode, parentName: string | undefined, pageSize: number) {
    const name = node.name.value;
    const parent = parentName === undefined ? undefined : this.#schema.getType(parentName);
    const hasFields = isObjectType(parent) || isInterfaceType(parent);
    const definition =
      META_FIELDS.find((field) => field.name === name) ?? (hasFields ? parent.getFields()[name] : undefined);
    const type = definition && getNamedType(definition.type);
    const isIntrospection = parentName?.startsWith('__') || name === TypeMetaFieldDef.name;
    const isList = definition && isListType(getNullableType(definition.type));
    const pageLength = pageSize > NO_PAGE ? pageSize : MAX_LIST_LENGTH;
    const listLength = isList ? (idCount(node) ?? pageLength) : 1;
    return {
      /** The name of the type whose fields are selected. */
      type: type?.name,
      length: isIntrospection ? (INTROSPECTION_LENGTHS[name] ?? 1) : listLength,
      pageSize: definition && isPageField(definition) ? pageSizeOf(node) : NO_PAGE,
      isRoot:
        hasFields &&
        [this.#schema.getQueryType(), this.#schema.getMutationType()].some((root) => root === parent),
    };
  }
}

/** Returns whether a field is a page of a list: a connection. */
function isPageField({ args }: GraphQLField<unknown, unknown>): boolean {
  return args.some(({ name }) => name === 'first');
}

/** Returns the page size of a connection, or the maximum if it is not in the document. */
function pageSizeOf({ arguments: args = [] }: FieldNode): number {
  const sizes = args.filter(({ name }) => name.value === 'first' || name.value === 'last');
  const [size] = sizes;
  if (size === undefined) return DEFAULT_PAGE_SIZE;
  if (sizes.length > 1 || size.value.kind !== Kind.INT) return MAX_LIST_LENGTH;
  return Math.max(0, Math.min(Number(size.value.value), MAX_LIST_LENGTH));
}

/** Returns the number of ids in the argument `ids`, or undefined if it is not a list in the document. */
function idCount({ arguments: args = [] }: FieldNode): number | undefined {
  const ids = args.find(({ name }) => name.value === 'ids')?.value;
  return ids?.kind === Kind.LIST ? ids.values.length : undefined;
}

function pairsOf(count: number): number {
  return (count * (count - 1)) / 2;
}
