import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
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

// Its resolvers take longer than reading a property, and anybody may ask.
const INTROSPECTION_WEIGHT = 2;

/** The most items of a list in this schema. */
export const MAX_LIST_LENGTH = 100;

/**
 * Returns a function that adds up the fields of an operation's response. A field counts as
 * often as it is selected, and once more for each item of the lists around it.
 *
 * A list of the API counts as `listLength` items, or as the ids that are written in the
 * document. Introspection is counted on the schema itself, where its lists have their real
 * lengths, and twice. Each fragment is counted once, and counting ends when `limit` is passed.
 *
 * @param document need not be valid: what another rule refuses counts as nothing
 * @param weightOf what a field counts for, without the fields below it
 */
export function responseFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  listLength: number,
  limit: number,
  weightOf: (field: FieldNode) => number = () => 1,
): (operation: OperationDefinitionNode) => number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const countsOfFragments = new Map<string, number>();
  const introspectionFields = introspectionCounter(schema, fragments, limit / INTROSPECTION_WEIGHT);

  function fieldsOf({ selections }: SelectionSetNode, parent: GraphQLNamedType | undefined): number {
    let count = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) count += weightOf(selection) + fieldsBelow(selection, parent);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) count += fieldsOfFragment(selection.name.value);
      else {
        const condition = selection.typeCondition && schema.getType(selection.typeCondition.name.value);
        count += fieldsOf(selection.selectionSet, condition ?? parent);
      }
      if (count > limit) break;
    }
    return count;
  }

  function fieldsBelow(field: FieldNode, parent: GraphQLNamedType | undefined): number {
    const { name, selectionSet } = field;
    if (selectionSet === undefined) return 0;
    if (parent === schema.getQueryType()) {
      if (name.value === SchemaMetaFieldDef.name || name.value === TypeMetaFieldDef.name) {
        return INTROSPECTION_WEIGHT * introspectionFields(field);
      }
    }
    const hasFields = isObjectType(parent) || isInterfaceType(parent);
    const type = hasFields ? parent.getFields()[name.value]?.type : undefined;
    if (type === undefined) return 0;
    const length = isListType(getNullableType(type)) ? (writtenIds(field) ?? listLength) : 1;
    return length * fieldsOf(selectionSet, getNamedType(type));
  }

  function fieldsOfFragment(name: string): number {
    const known = countsOfFragments.get(name);
    if (known !== undefined) return known;
    // A fragment that spreads itself is refused by another rule.
    countsOfFragments.set(name, 0);
    const fragment = fragments.get(name);
    const count = fragment
      ? fieldsOf(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value))
      : 0;
    countsOfFragments.set(name, count);
    return count;
  }

  return ({ selectionSet, operation }) => fieldsOf(selectionSet, schema.getRootType(operation) ?? undefined);
}

/** How many ids stand in the document, each of which gives an item. */
function writtenIds({ arguments: given = [] }: FieldNode): number | undefined {
  const ids = given.find(({ name }) => name.value === 'ids')?.value;
  return ids?.kind === Kind.LIST ? ids.values.length : undefined;
}

/**
 * Returns a function that counts what introspection selects below `__schema` or `__type`, by
 * walking through the schema as the execution would. It returns more than `limit` as soon as
 * that is certain. A fragment is counted once for each type, wherever in the document it is spread.
 */
function introspectionCounter(
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  limit: number,
): (field: FieldNode) => number {
  // By selection set and by the type, field, argument or value that it is applied to.
  const known = new Map<SelectionSetNode, Map<unknown, number>>();

  function selectionsOn(selected: SelectionSetNode, type: GraphQLObjectType, source: unknown): number {
    const counts = known.get(selected) ?? new Map<unknown, number>();
    known.set(selected, counts);
    let count = counts.get(source);
    if (count !== undefined) return count;
    // For a fragment that spreads itself.
    counts.set(source, 0);
    count = 0;
    for (const selection of selected.selections) {
      // A fragment that selects nothing is work as well.
      count += 1 + selectionsBelow(selection, type, source);
      if (count > limit) break;
    }
    counts.set(source, count);
    return count;
  }

  function selectionsBelow(selection: SelectionNode, type: GraphQLObjectType, source: unknown): number {
    if (selection.kind === Kind.INLINE_FRAGMENT) return selectionsOn(selection.selectionSet, type, source);
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = fragments.get(selection.name.value);
      return fragment ? selectionsOn(fragment.selectionSet, type, source) : 0;
    }
    const { name, selectionSet } = selection;
    const field = type.getFields()[name.value];
    const below = field && getNamedType(field.type);
    if (selectionSet === undefined || !isObjectType(below)) return 0;
    const value: unknown = field?.resolve?.(source, { includeDeprecated: true }, undefined, {
      schema,
    } as never);
    const items = Array.isArray(value) ? value : value == null ? [] : [value];
    let count = 0;
    for (const item of items) {
      count += selectionsOn(selectionSet, below, item);
      if (count > limit) break;
    }
    return count;
  }

  return ({ name, selectionSet, arguments: given = [] }) => {
    if (selectionSet === undefined) return 0;
    if (name.value === SchemaMetaFieldDef.name) {
      return selectionsOn(selectionSet, getNamedType(SchemaMetaFieldDef.type) as GraphQLObjectType, schema);
    }
    const wanted = given.find((argument) => argument.name.value === 'name')?.value;
    const types =
      wanted?.kind === Kind.STRING ? [schema.getType(wanted.value)] : Object.values(schema.getTypeMap());
    const counts = types.map((type) =>
      type === undefined ? 0 : selectionsOn(selectionSet, TypeMetaFieldDef.type as GraphQLObjectType, type),
    );
    return Math.max(0, ...counts);
  };
}
