import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';

const CONDITIONAL_DIRECTIVES: readonly string[] = [GraphQLSkipDirective.name, GraphQLIncludeDirective.name];

/**
 * Returns whether graphql-jit evaluates the conditions (`@skip`, `@include`) of an operation like
 * graphql-js. They differ in three cases:
 * - The condition is a nullable variable: graphql-jit treats null as false, graphql-js rejects it.
 * - A leaf field is selected more than once, the first time conditionally: graphql-jit keeps the
 *   position of the first selection in the response even if its condition is false.
 * - An object field is selected more than once, at least once conditionally: graphql-jit returns
 *   all selected subfields even if the condition is false.
 */
export function hasSupportedConditions(operation: OperationDefinitionNode, document: DocumentNode): boolean {
  const fragments = new Map<string, FragmentDefinitionNode>();
  let hasConditions = false;
  let hasNullableCondition = false;
  const nullable = (operation.variableDefinitions ?? []).filter(
    ({ type }) => type.kind !== Kind.NON_NULL_TYPE,
  );
  const nullableNames = new Set(nullable.map(({ variable }) => variable.name.value));
  visit(document, {
    FragmentDefinition(fragment) {
      fragments.set(fragment.name.value, fragment);
    },
    Directive({ name, arguments: [condition] = [] }) {
      if (!CONDITIONAL_DIRECTIVES.includes(name.value)) return;
      hasConditions = true;
      const value = condition?.value;
      hasNullableCondition ||= value?.kind === Kind.VARIABLE && nullableNames.has(value.name.value);
    },
  });
  return (
    !hasConditions || (!hasNullableCondition && !hasConditionalMerge([operation.selectionSet], fragments))
  );
}

/** Returns whether field merging in these selection sets involves a condition, as in the last two cases above. */
function hasConditionalMerge(
  sets: readonly SelectionSetNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): boolean {
  const selectionsByKey = new Map<string, { readonly node: FieldNode; readonly isConditional: boolean }[]>();

  function collect({ selections }: SelectionSetNode, isParentConditional: boolean): void {
    for (const selection of selections) {
      const isConditional = isParentConditional || hasConditionalDirective(selection.directives);
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const existing = selectionsByKey.get(key);
        if (existing) existing.push({ node: selection, isConditional });
        else selectionsByKey.set(key, [{ node: selection, isConditional }]);
      } else {
        const fragment =
          selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        if (fragment) collect(fragment.selectionSet, isConditional);
      }
    }
  }

  for (const set of sets) collect(set, false);
  return selectionsByKey.values().some((selections) => {
    const childSets = selections.flatMap(({ node }) => node.selectionSet ?? []);
    const relevant = childSets.length > 0 ? selections : selections.slice(0, 1);
    const isMerged = selections.length > 1 && relevant.some(({ isConditional }) => isConditional);
    return isMerged || hasConditionalMerge(childSets, fragments);
  });
}

function hasConditionalDirective(directives: readonly DirectiveNode[] = []): boolean {
  return directives.some(({ name }) => CONDITIONAL_DIRECTIVES.includes(name.value));
}
