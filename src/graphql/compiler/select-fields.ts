import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  Kind,
  type NamedTypeNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { Values } from './input-values.ts';

/** The fragments of a document, by their names. */
export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return Object.fromEntries(fragments.map((fragment) => [fragment.name.value, fragment]));
}

/** The names of the variables that decide what is skipped or included. */
export function switchesOf(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive({ name, arguments: given = [] }) {
      if (name.value !== GraphQLSkipDirective.name && name.value !== GraphQLIncludeDirective.name) return;
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}

/**
 * Returns the fields that are selected of an object, by their keys in the answer. Each may
 * be selected in several places. Source: GraphQL specification, CollectFields.
 *
 * @param settled the variables that decide what is skipped or included
 */
export function selectFields(
  schema: GraphQLSchema,
  fragments: Fragments,
  type: GraphQLObjectType,
  selected: readonly SelectionSetNode[],
  settled: Values,
): ReadonlyMap<string, readonly FieldNode[]> {
  const nodesByKey = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  for (const each of selected) collect(each);
  return nodesByKey;

  function collect({ selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (getDirectiveValues(GraphQLSkipDirective, selection, settled)?.['if'] === true) continue;
      if (getDirectiveValues(GraphQLIncludeDirective, selection, settled)?.['if'] === false) continue;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const nodes = nodesByKey.get(key);
        if (nodes === undefined) nodesByKey.set(key, [selection]);
        else nodes.push(selection);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (applies(selection.typeCondition)) collect(selection.selectionSet);
      } else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        const fragment = fragments[selection.name.value];
        if (fragment && applies(fragment.typeCondition)) collect(fragment.selectionSet);
      }
    }
  }

  function applies(condition: NamedTypeNode | undefined): boolean {
    if (condition === undefined) return true;
    const conditional = schema.getType(condition.name.value);
    return conditional === type || (isAbstractType(conditional) && schema.isSubType(conditional, type));
  }
}
