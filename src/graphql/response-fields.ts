import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';

import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../model/page.ts';

// The resolvers of introspection are slower than property reads, and introspection needs no token.
const INTROSPECTION_WEIGHT = 2;

/** The maximum length of a list in this schema. */
export const MAX_LIST_LENGTH = MAX_PAGE_SIZE;

/**
 * Returns a function that counts the fields in the response to an operation. Each selection of a
 * field counts, multiplied by the lengths of the lists that contain it.
 *
 * A list counts as `listLength` items, or as the number of ids in the document. The lists of a page
 * count as the page size in the document, or as the default page size. Introspection is counted on
 * the schema, with the actual lengths of its lists, and with a weight of two. Each
 * fragment is evaluated once. The count stops when it exceeds `limit`.
 *
 * @param document the document, which may be invalid; selections that other rules reject count as 0
 * @param listLength the length of a list whose length is not known, and the maximum length of all lists
 * @param weightOf returns the weight of a field without its subfields, where `pageSize` is defined if the field is a
 *   page; the default is 1
 */
export function fieldCounter(
  schema: GraphQLSchema,
  document: DocumentNode,
  listLength: number,
  limit: number,
  weightOf: (field: FieldNode, pageSize: number | undefined) => number = () => 1,
): (operation: OperationDefinitionNode) => number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const fragmentCounts = new Map<string, number>();
  const introspectionFields = introspectionCounter(schema, fragments, limit / INTROSPECTION_WEIGHT);

  // `pageSize` is the length of the lists of `parent`, if it is a page.
  function countFields(
    { selections }: SelectionSetNode,
    parent: GraphQLNamedType | undefined,
    pageSize: number | undefined,
  ): number {
    let count = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) count += countField(selection, parent, pageSize);
      else if (selection.kind === Kind.FRAGMENT_SPREAD)
        count += countFragment(selection.name.value, pageSize);
      else {
        const condition = selection.typeCondition && schema.getType(selection.typeCondition.name.value);
        count += countFields(selection.selectionSet, condition ?? parent, pageSize);
      }
      if (count > limit) break;
    }
    return count;
  }

  function countField(
    field: FieldNode,
    parent: GraphQLNamedType | undefined,
    pageSize: number | undefined,
  ): number {
    const hasFields = isObjectType(parent) || isInterfaceType(parent);
    const definition = hasFields ? parent.getFields()[field.name.value] : undefined;
    const ownPageSize =
      definition && isPageField(definition)
        ? Math.max(0, Math.min(pageSizeOf(field) ?? listLength, listLength))
        : undefined;
    const subfields = countSubfields(field, parent, definition?.type, pageSize, ownPageSize);
    return weightOf(field, ownPageSize) + subfields;
  }

  function countSubfields(
    field: FieldNode,
    parent: GraphQLNamedType | undefined,
    type: GraphQLOutputType | undefined,
    pageSize: number | undefined,
    ownPageSize: number | undefined,
  ): number {
    const { name, selectionSet } = field;
    if (selectionSet === undefined) return 0;
    if (parent === schema.getQueryType()) {
      if (name.value === SchemaMetaFieldDef.name || name.value === TypeMetaFieldDef.name) {
        return INTROSPECTION_WEIGHT * introspectionFields(field);
      }
    }
    if (type === undefined) return 0;
    const length = isListType(getNullableType(type)) ? (countIds(field) ?? pageSize ?? listLength) : 1;
    return length * countFields(selectionSet, getNamedType(type), ownPageSize);
  }

  function countFragment(name: string, pageSize: number | undefined): number {
    const key = `${name} ${pageSize}`;
    const cached = fragmentCounts.get(key);
    if (cached !== undefined) return cached;
    // Ends the recursion of a fragment that spreads itself, which another rule rejects.
    fragmentCounts.set(key, 0);
    const fragment = fragments.get(name);
    const count = fragment
      ? countFields(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value), pageSize)
      : 0;
    fragmentCounts.set(key, count);
    return count;
  }

  return ({ selectionSet, operation }) =>
    countFields(selectionSet, schema.getRootType(operation) ?? undefined, undefined);
}

/** Returns whether a field is a page of a list: a connection. */
export function isPageField({ args }: GraphQLField<unknown, unknown>): boolean {
  return args.some(({ name }) => name === 'first');
}

/** Returns the page size of a connection, or undefined if it is not in the document. */
function pageSizeOf({ arguments: args = [] }: FieldNode): number | undefined {
  const sizes = args.filter(({ name }) => name.value === 'first' || name.value === 'last');
  if (sizes.length === 0) return DEFAULT_PAGE_SIZE;
  const [size] = sizes;
  return sizes.length === 1 && size?.value.kind === Kind.INT ? Number(size.value.value) : undefined;
}

/** Returns the number of ids in the argument `ids`, or undefined if it is not a list in the document. */
function countIds({ arguments: args = [] }: FieldNode): number | undefined {
  const ids = args.find(({ name }) => name.value === 'ids')?.value;
  return ids?.kind === Kind.LIST ? ids.values.length : undefined;
}

/**
 * Returns a function that counts the selections below `__schema` or `__type`, by traversing the
 * schema like the execution. The count stops when it exceeds `limit`. Each fragment is evaluated
 * once per object of the schema.
 */
function introspectionCounter(
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  limit: number,
): (field: FieldNode) => number {
  // By selection set, and by the type, field, argument or value of the schema to which it applies.
  const cache = new Map<SelectionSetNode, Map<unknown, number>>();

  function countSelections(set: SelectionSetNode, type: GraphQLObjectType, source: unknown): number {
    const counts = cache.get(set) ?? new Map<unknown, number>();
    cache.set(set, counts);
    let count = counts.get(source);
    if (count !== undefined) return count;
    // Ends the recursion of a fragment that spreads itself.
    counts.set(source, 0);
    count = 0;
    for (const selection of set.selections) {
      // The selection itself counts, so that an empty fragment has a cost, too.
      count += 1 + countSubselections(selection, type, source);
      if (count > limit) break;
    }
    counts.set(source, count);
    return count;
  }

  function countSubselections(selection: SelectionNode, type: GraphQLObjectType, source: unknown): number {
    if (selection.kind === Kind.INLINE_FRAGMENT) return countSelections(selection.selectionSet, type, source);
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = fragments.get(selection.name.value);
      return fragment ? countSelections(fragment.selectionSet, type, source) : 0;
    }
    const { name, selectionSet } = selection;
    const field = type.getFields()[name.value];
    const fieldType = field && getNamedType(field.type);
    if (selectionSet === undefined || !isObjectType(fieldType)) return 0;
    const value: unknown = field?.resolve?.(source, { includeDeprecated: true }, undefined, {
      schema,
    } as never);
    const items = Array.isArray(value) ? value : value == null ? [] : [value];
    let count = 0;
    for (const item of items) {
      count += countSelections(selectionSet, fieldType, item);
      if (count > limit) break;
    }
    return count;
  }

  return ({ name, selectionSet, arguments: args = [] }) => {
    if (selectionSet === undefined) return 0;
    if (name.value === SchemaMetaFieldDef.name) {
      return countSelections(
        selectionSet,
        getNamedType(SchemaMetaFieldDef.type) as GraphQLObjectType,
        schema,
      );
    }
    // The value of a variable is not known here: the count is then the maximum over all types.
    const typeName = args.find((argument) => argument.name.value === 'name')?.value;
    const types =
      typeName?.kind === Kind.STRING ? [schema.getType(typeName.value)] : Object.values(schema.getTypeMap());
    const counts = types.map((type) =>
      type === undefined
        ? 0
        : countSelections(selectionSet, TypeMetaFieldDef.type as GraphQLObjectType, type),
    );
    return Math.max(0, ...counts);
  };
}
