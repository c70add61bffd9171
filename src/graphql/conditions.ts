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

const CONDITIONS: readonly string[] = [GraphQLSkipDirective.name, GraphQLIncludeDirective.name];

/**
 * Whether graphql-jit treats the conditions (`@skip`, `@include`) of an operation as
 * graphql-js does. It differs in three cases:
 * - a variable that may be null decides: graphql-jit takes null for false, graphql-js
 *   refuses it;
 * - a field is selected more than once, the first time under a condition: graphql-jit puts
 *   it there in the response even if the condition does not hold;
 * - an object is selected more than once, once of them under a condition: graphql-jit gives
 *   all fields that are selected of it, even if the condition does not hold.
 */
export function hasPlainConditions(operation: OperationDefinitionNode, document: DocumentNode): boolean {
  const fragments = new Map<string, FragmentDefinitionNode>();
  let hasConditions = false;
  let decidesByNullable = false;
  const nullable = (operation.variableDefinitions ?? []).filter(
    ({ type }) => type.kind !== Kind.NON_NULL_TYPE,
  );
  const nullableNames = new Set(nullable.map(({ variable }) => variable.name.value));
  visit(document, {
    FragmentDefinition(fragment) {
      fragments.set(fragment.name.value, fragment);
    },
    Directive({ name, arguments: [condition] = [] }) {
      if (!CONDITIONS.includes(name.value)) return;
      hasConditions = true;
      const value = condition?.value;
      decidesByNullable ||= value?.kind === Kind.VARIABLE && nullableNames.has(value.name.value);
    },
  });
  return !hasConditions || (!decidesByNullable && !mergesConditions([operation.selectionSet], fragments));
}

/** Whether a field is selected more than once in these sets in a way that graphql-jit does not merge. */
function mergesConditions(
  sets: readonly SelectionSetNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): boolean {
  const selectionsByKey = new Map<string, { readonly node: FieldNode; readonly isConditional: boolean }[]>();

  function collect({ selections }: SelectionSetNode, within: boolean): void {
    for (const selection of selections) {
      const isConditional = within || isUnderCondition(selection.directives);
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const known = selectionsByKey.get(key);
        if (known) known.push({ node: selection, isConditional });
        else selectionsByKey.set(key, [{ node: selection, isConditional }]);
      } else {
        const fragment =
          selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        if (fragment) collect(fragment.selectionSet, isConditional);
      }
    }
  }

  for (const set of sets) collect(set, false);
  return selectionsByKey.values().some((selected) => {
    const below = selected.flatMap(({ node }) => node.selectionSet ?? []);
    const decisive = below.length > 0 ? selected : selected.slice(0, 1);
    const isMerged = selected.length > 1 && decisive.some(({ isConditional }) => isConditional);
    return isMerged || mergesConditions(below, fragments);
  });
}

function isUnderCondition(directives: readonly DirectiveNode[] = []): boolean {
  return directives.some(({ name }) => CONDITIONS.includes(name.value));
}
