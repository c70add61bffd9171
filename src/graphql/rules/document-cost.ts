import {
  type ArgumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  isWrappingType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  valueFromASTUntyped,
} from 'graphql';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../model/lists/list-page.ts';
import { type Fragments, MergedFields, type SelectedField } from './merged-fields.ts';

const MAX_LIST_LENGTH = MAX_PAGE_SIZE;

/** The arguments with the items of the list, and their maximum number. More are refused later. */
export const MAX_ITEMS = { ids: MAX_LIST_LENGTH, representations: 1000 } as const;

const LIST_ARGUMENTS: ReadonlyMap<string, number> = new Map(Object.entries(MAX_ITEMS));

// A search by title reads up to 1,000 entries of an index, which takes as long as about 100 fields.
const SEARCH_FIELDS = 100;

/** The lengths that differ from other lists, by type and field. The document of a subgraph has 500 lines. */
const LENGTHS: Readonly<Record<string, number>> = { 'App.keys': 2, 'Query._service': 500 };

// Only the names and the types of two fields without arguments and selections are compared. Measured with graphql-js 16.
const PLAIN_PAIR = 0.2;

const META_FIELDS = [SchemaMetaFieldDef, TypeMetaFieldDef];

/** The lengths of the lists of introspection, by field. A single type counts as all types: its lists can be the longest. */
type IntrospectionLengths = Readonly<Record<string, number>>;

// By schema: its types are counted once.
const INTROSPECTION_LENGTHS = new WeakMap<GraphQLSchema, IntrospectionLengths>();

/** Returns the average lengths of the lists of introspection in a schema, and the share of types that have an inner type. */
function introspectionLengths(schema: GraphQLSchema): IntrospectionLengths {
  const known = INTROSPECTION_LENGTHS.get(schema);
  if (known !== undefined) return known;
  const lengths = measuredLengths(schema);
  INTROSPECTION_LENGTHS.set(schema, lengths);
  return lengths;
}

function measuredLengths(schema: GraphQLSchema): IntrospectionLengths {
  const types = Object.values(schema.getTypeMap());
  const directives = schema.getDirectives();
  const outputs = types.filter((type) => isObjectType(type) || isInterfaceType(type));
  const fields = outputs.flatMap((type) => Object.values(type.getFields()));
  const inputFields = types.filter(isInputObjectType).flatMap((type) => Object.values(type.getFields()));
  const args = [...fields, ...directives].flatMap((each) => each.args);
  const innerShare = (items: readonly { readonly type: GraphQLType }[]) =>
    items.filter(({ type }) => isWrappingType(type)).length / Math.max(1, items.length);
  const perType = (items: readonly unknown[]) => items.length / types.length;
  return {
    [TypeMetaFieldDef.name]: types.length,
    queryType: types.length,
    mutationType: types.length,
    types: types.length,
    directives: directives.length,
    fields: perType(fields),
    args: args.length / (fields.length + directives.length),
    inputFields: perType(inputFields),
    enumValues: perType(types.filter(isEnumType).flatMap((type) => type.getValues())),
    interfaces: perType(outputs.flatMap((type) => type.getInterfaces())),
    possibleTypes: perType(types.filter(isAbstractType).flatMap((type) => schema.getPossibleTypes(type))),
    ofType: Math.max(...[fields, inputFields, args].map(innerShare)),
    locations: Math.max(...directives.map(({ locations }) => locations.length)),
  };
}

/** The variables of a request as the client sent them, not validated. */
export type Variables = Readonly<Record<string, unknown>>;

export type Amount = number | ((variables: Variables) => number);

export function amountFor(amount: Amount, variables: Variables): number {
  return typeof amount === 'number' ? amount : amount(variables);
}

type Selections = { readonly set: SelectionSetNode; readonly parent: string | undefined };

/**
 * The cost of an operation or a fragment, with its fragments expanded. Selections of an object with the same response key
 * are one field of the response.
 *
 * A list counts as 100 items, or as the number of items in its argument. The lists of a page count as the page size, or as
 * the default page size. Those of introspection count as their average length in the schema. A search by title counts as
 * 100 fields. Below a field that does not exist, nothing is counted.
 */
export class DocumentCost {
  fields = 0;
  /** The pairs of selections of the same field, and of fragments in the same object, by the time in which they are compared. */
  pairs = 0;
  /** The root fields of the response. */
  rootFields = 0;
  /** The root fields and the pages. Each is a call of the data layer. */
  dataFields = 0;
  /** The fields of the response. Each item of a page is one more, because it is read even if it is not selected. */
  readonly responseFields: Amount;
  /** The maximum number of items of the variables that are lists, by name. */
  readonly maxItems = new Map<string, number>();
  readonly #schema: GraphQLSchema;
  readonly #fragments: Fragments;
  readonly #defaults = new Map<string, unknown>();
  readonly #isTooHigh: (cost: DocumentCost) => boolean;

  /** @param isTooHigh whether the rest is not counted */
  constructor(
    schema: GraphQLSchema,
    fragments: Fragments,
    definition: OperationDefinitionNode | FragmentDefinitionNode,
    isTooHigh: (cost: DocumentCost) => boolean = () => false,
  ) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#isTooHigh = isTooHigh;
    for (const { variable, defaultValue } of definition.variableDefinitions ?? []) {
      if (defaultValue) this.#defaults.set(variable.name.value, valueFromASTUntyped(defaultValue));
    }
    const parent =
      definition.kind === Kind.OPERATION_DEFINITION
        ? schema.getRootType(definition.operation)?.name
        : definition.typeCondition.name.value;
    this.responseFields = this.#addObject([{ set: definition.selectionSet, parent }]);
  }

  #addObject(selections: readonly Selections[], pageSize?: Amount): Amount {
    const merged = new MergedFields(this.#fragments);
    for (const { set, parent } of selections) merged.add(set, parent);
    this.pairs += pairsOf(merged.fragmentCount);
    const amounts: Amount[] = [];
    for (const selected of merged.byKey.values()) {
      if (this.#isTooHigh(this)) break;
      amounts.push(this.#addField(selected, pageSize));
    }
    return sum(amounts);
  }

  /**
   * Adds a field of the response. Its selections can have different types and arguments: the largest one counts.
   *
   * @param parentSize the page size of the connection that contains it
   */
  #addField(selected: readonly SelectedField[], parentSize: Amount | undefined): Amount {
    const fields = selected.map((field) => ({ ...field, ...this.#fieldOf(field, parentSize) }));
    const pageSizes = fields.flatMap(({ pageSize }) => pageSize ?? []);
    const pageSize = pageSizes.length > 0 ? max(pageSizes) : undefined;
    this.fields += fields.length;
    const isPlain = selected.every(({ node }) => !node.selectionSet && !node.arguments?.length);
    this.pairs += pairsOf(fields.length) * (isPlain ? PLAIN_PAIR : 1);
    const isRoot = fields.some((field) => field.isRoot);
    if (isRoot) this.rootFields += 1;
    if (isRoot || pageSize !== undefined) this.dataFields += 1;
    const selections = fields.flatMap(({ node: { selectionSet: set }, type: parent }) =>
      set ? [{ set, parent }] : [],
    );
    const length = max(fields.map((field) => field.length));
    const search = max(fields.flatMap((field) => field.search ?? []));
    const items = product([length, this.#addObject(selections, pageSize)]);
    return sum([1, pageSize ?? 0, search, items]);
  }

  #fieldOf({ node, parent: parentName }: SelectedField, parentSize: Amount | undefined) {
    const name = node.name.value;
    const parent = parentName === undefined ? undefined : this.#schema.getType(parentName);
    const hasFields = isObjectType(parent) || isInterfaceType(parent);
    const definition =
      META_FIELDS.find((field) => field.name === name) ?? (hasFields ? parent.getFields()[name] : undefined);
    const type = definition && getNamedType(definition.type);
    const isIntrospection = parentName?.startsWith('__') || name === TypeMetaFieldDef.name;
    const isList = definition && isListType(getNullableType(definition.type));
    const known = LENGTHS[`${parentName}.${name}`];
    const length = known ?? (isList ? (this.#itemCount(node) ?? parentSize ?? MAX_LIST_LENGTH) : 1);
    // A page of a list: a connection.
    const isPage = definition?.args.some((argument) => argument.name === 'first');
    return {
      /** The name of the type whose fields are selected. */
      type: type?.name,
      length: isIntrospection ? (introspectionLengths(this.#schema)[name] ?? 1) : length,
      pageSize: isPage ? this.#pageSize(node) : undefined,
      search: isPage ? this.#searchFields(node) : undefined,
      isRoot:
        hasFields &&
        [this.#schema.getQueryType(), this.#schema.getMutationType()].some((root) => root === parent),
    };
  }

  /** Returns the page size of a connection. Null is the same as omitted. Other values than 1 to 100 are refused later. */
  #pageSize({ arguments: args = [] }: FieldNode): Amount {
    const sizes = args.filter(({ name }) => name.value === 'first' || name.value === 'last');
    const size = max(sizes.map((argument) => this.#amountOf(argument, pageSizeOf)));
    return typeof size === 'number'
      ? size || DEFAULT_PAGE_SIZE
      : (variables) => size(variables) || DEFAULT_PAGE_SIZE;
  }

  #searchFields({ arguments: args = [] }: FieldNode): Amount | undefined {
    const title = args.find(({ name }) => name.value === 'title');
    return title && this.#amountOf(title, (value) => (value == null ? 0 : SEARCH_FIELDS));
  }

  /** Returns the number of items in the argument `ids` or `representations`. */
  #itemCount({ arguments: args = [] }: FieldNode): Amount | undefined {
    for (const items of args) {
      const maxItems = LIST_ARGUMENTS.get(items.name.value);
      if (maxItems === undefined) continue;
      if (items.value.kind === Kind.VARIABLE) this.maxItems.set(items.value.name.value, maxItems);
      return this.#amountOf(items, (value) => (Array.isArray(value) ? Math.min(value.length, maxItems) : 1));
    }
    return undefined;
  }

  #amountOf({ value }: ArgumentNode, amountOf: (value: unknown) => number): Amount {
    if (value.kind !== Kind.VARIABLE) return amountOf(valueFromASTUntyped(value));
    const variable = value.name.value;
    return (variables) =>
      amountOf(Object.hasOwn(variables, variable) ? variables[variable] : this.#defaults.get(variable));
  }
}

function pageSizeOf(value: unknown = null): number {
  if (value === null) return 0;
  return typeof value === 'number' ? Math.max(0, Math.min(value, MAX_LIST_LENGTH)) : MAX_LIST_LENGTH;
}

// Amounts of this size exceed every limit. Larger ones could become infinite.
const MAX_AMOUNT = 1e9;

const sum = combine(0, (a, b) => a + b);
const product = combine(1, (a, b) => Math.min(a * b, MAX_AMOUNT));
const max = combine(0, (a, b) => Math.max(a, b));

/** Returns a function that combines amounts. It combines the constants once, and the others for each request. */
function combine(
  identity: number,
  fold: (a: number, b: number) => number,
): (amounts: readonly Amount[]) => Amount {
  return (amounts) => {
    const variable = amounts.filter((amount) => typeof amount === 'function');
    const constant = amounts
      .filter((amount) => typeof amount === 'number')
      .reduce((total, amount) => fold(total, amount), identity);
    if (variable.length === 0) return constant;
    return (variables) => variable.reduce((total, amount) => fold(total, amount(variables)), constant);
  };
}

function pairsOf(count: number): number {
  return (count * (count - 1)) / 2;
}
