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
 * Refuses an operation before it is executed if its bearer token is missing or
 * bad, with the HTTP status of the error. The schema is public: an operation
 * that selects nothing but introspection needs no token.
 * Source: GraphQL over HTTP, section on status codes.
 */
export const authentication: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ contextValue, operation, document }) {
        // Without an operation the request is refused anyway.
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
 * Whether an operation selects nothing but the schema. Looks at each fragment once: spread by each other, they may stand
 * for more selections than can be walked.
 */
export function isIntrospection(
  selected: SelectionSetNode,
  document: DocumentNode,
  seen: Set<string> = new Set(),
): boolean {
  return selected.selections.every((selection) => {
    if (selection.kind === Kind.FIELD) return selection.name.value.startsWith('__');
    if (selection.kind === Kind.INLINE_FRAGMENT)
      return isIntrospection(selection.selectionSet, document, seen);
    const { value: name } = selection.name;
    if (seen.has(name)) return true;
    return isIntrospection(fragmentNamed(name, document).selectionSet, document, seen.add(name));
  });
}

function fragmentNamed(name: string, document: DocumentNode): FragmentDefinitionNode {
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name) return definition;
  }
  throw new Error(`A valid document lacks its fragment ${name}.`);
}
