import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode, visit } from 'graphql';
import { type Fragments, fragmentsOf, isCondition, MergedFields } from './merged-fields.ts';

/**
 * Returns whether graphql-jit evaluates the conditions (`@skip`, `@include`) of an operation like
 * graphql-js. They differ in two cases:
 * - The condition is a nullable variable: graphql-jit treats null as false, graphql-js rejects it.
 * - A field is selected more than once, at least once conditionally: graphql-jit keeps the position
 *   of a selection in the response, and the subfields of all selections, even if a condition is false.
 */
export function hasSupportedConditions(operation: OperationDefinitionNode, document: DocumentNode): boolean {
  const nullable = (operation.variableDefinitions ?? []).filter(
    ({ type }) => type.kind !== Kind.NON_NULL_TYPE,
  );
  const nullableNames = new Set(nullable.map(({ variable }) => variable.name.value));
  let hasConditions = false;
  let hasNullableCondition = false;
  visit(document, {
    Directive(directive) {
      if (!isCondition(directive)) return;
      hasConditions = true;
      const value = directive.arguments?.[0]?.value;
      hasNullableCondition ||= value?.kind === Kind.VARIABLE && nullableNames.has(value.name.value);
    },
  });
  if (!hasConditions) return true;
  return !hasNullableCondition && !hasConditionalMerge([operation.selectionSet], fragmentsOf(document));
}

/** Returns whether these selection sets of one object select a field more than once, at least once conditionally. */
function hasConditionalMerge(sets: readonly SelectionSetNode[], fragments: Fragments): boolean {
  const merged = new MergedFields(fragments);
  for (const set of sets) merged.add(set, undefined);
  return merged.byKey.values().some(
    (fields) =>
      (fields.length > 1 && fields.some(({ isConditional }) => isConditional)) ||
      hasConditionalMerge(
        fields.flatMap(({ node }) => node.selectionSet ?? []),
        fragments,
      ),
  );
}
