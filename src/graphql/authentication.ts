import type { ApolloServerPlugin } from '@apollo/server';
import {
  type DocumentNode,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
  type ValidationRule,
} from 'graphql';
import { ApiError, readOnlyToken } from '../model/api-error.ts';
import type { Context } from './context.ts';
import { refusal } from './errors.ts';
import { type Fragments, fragmentsOf } from './merged-fields.ts';

/**
 * Returns a validation rule that rejects a document without a valid bearer token, before the other
 * rules visit its definitions. The schema is public: a document that selects only introspection
 * needs no token. Source: GraphQL over HTTP, section on status codes.
 */
export function requireToken(currentContext: () => Context | undefined): ValidationRule {
  return (validation) => ({
    Document(document) {
      const { authentication } = currentContext() ?? {};
      if (!(authentication instanceof ApiError) || isIntrospection(document)) return undefined;
      validation.reportError(refusal(authentication));
      // The other rules visit the returned document.
      return { ...document, definitions: [] };
    },
  });
}

/** The plugin that refuses mutations with a token that may only read. It runs for each request: documents are cached. */
export const refuseChangesIfReadOnly: ApolloServerPlugin<Context> = {
  requestDidStart: async () => ({
    async didResolveOperation({ operation, contextValue: { authentication } }) {
      const isReadOnly = !(authentication instanceof ApiError) && authentication.isReadOnly;
      if (isReadOnly && operation?.operation !== OperationTypeNode.QUERY) throw refusal(readOnlyToken());
    },
  }),
};

/** Returns whether the operations of a document, which may be invalid, select only introspection. */
export function isIntrospection(document: DocumentNode): boolean {
  const fragments = fragmentsOf(document);
  const visited = new Set<string>();
  return document.definitions.every(
    (definition) =>
      definition.kind !== Kind.OPERATION_DEFINITION ||
      selectsIntrospection(definition.selectionSet, fragments, visited),
  );
}

/** Each fragment is visited once: nested fragment spreads can expand to an exponential number of selections. */
function selectsIntrospection(
  { selections }: SelectionSetNode,
  fragments: Fragments,
  visited: Set<string>,
): boolean {
  return selections.every((selection) => {
    if (selection.kind === Kind.FIELD) return selection.name.value.startsWith('__');
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      return selectsIntrospection(selection.selectionSet, fragments, visited);
    }
    const fragment = fragments.get(selection.name.value);
    if (fragment === undefined || visited.has(selection.name.value)) return true;
    visited.add(selection.name.value);
    return selectsIntrospection(fragment.selectionSet, fragments, visited);
  });
}
