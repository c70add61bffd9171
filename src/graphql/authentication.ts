import { type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { headersOf, statusCodeOf } from '../http/http-error.ts';
import { toApiError } from '../model/api-error.ts';
import type { Context } from './context.ts';

/**
 * A plugin that rejects an operation before its execution if the bearer token is missing or
 * invalid, with the HTTP status of the error. The schema is public: an operation that selects
 * only introspection needs no token. Source: GraphQL over HTTP, section on status codes.
 */
export const authentication: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ contextValue, operation, document }) {
        // Apollo Server itself rejects a request without an operation.
        if (operation === undefined || isIntrospection(operation.selectionSet, document)) return;
        try {
          await contextValue.authenticate();
        } catch (thrown) {
          const error = toApiError(thrown);
          const headers = new HeaderMap(Object.entries(headersOf(error)));
          throw new GraphQLError(error.message, {
            originalError: error,
            extensions: { http: { status: statusCodeOf(error), headers } },
          });
        }
      },
    };
  },
};

/**
 * Returns whether a selection set selects only introspection fields. Each fragment is visited
 * once: nested fragment spreads can expand to an exponential number of selections.
 */
export function isIntrospection(
  selectionSet: SelectionSetNode,
  document: DocumentNode,
  visited: Set<string> = new Set(),
): boolean {
  return selectionSet.selections.every((selection) => {
    if (selection.kind === Kind.FIELD) return selection.name.value.startsWith('__');
    if (selection.kind === Kind.INLINE_FRAGMENT)
      return isIntrospection(selection.selectionSet, document, visited);
    const { value: name } = selection.name;
    if (visited.has(name)) return true;
    return isIntrospection(findFragment(name, document).selectionSet, document, visited.add(name));
  });
}

function findFragment(name: string, document: DocumentNode): FragmentDefinitionNode {
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name) return definition;
  }
  throw new Error(`The fragment ${name} is missing in a valid document.`);
}
