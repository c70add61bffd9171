import type { ApolloServerPlugin, HTTPGraphQLResponse } from '@apollo/server';
import type { Context } from './context.ts';

const DOCUMENT_ERROR_CODES = new Set<unknown>([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'BAD_USER_INPUT',
]);

/**
 * A plugin that records in the context the operation, for the log and the metrics, and whether parsing, validation or the
 * coercion of variables failed.
 */
export const recordOutcome: ApolloServerPlugin<Context> = {
  requestDidStart: async () => ({
    async didResolveOperation({ contextValue, operation }) {
      const name = operation?.name?.value ?? '';
      contextValue.state.operation = operation && { type: operation.operation, name, isRepeated: false };
    },

    async willSendResponse({ contextValue, response }) {
      if (response.body.kind !== 'single' || response.http.status !== 400) return;
      const [error] = response.body.singleResult.errors ?? [];
      contextValue.state.isDocumentRejected = DOCUMENT_ERROR_CODES.has(error?.extensions?.['code']);
    },
  }),
};

/**
 * Returns the HTTP status of a response. A rejected document has status 400 if the media type is
 * `application/graphql-response+json`, and 200 if it is `application/json`, because a client can't
 * distinguish a 400 in that type from a response of an intermediary.
 * Source: GraphQL over HTTP, section on `application/json`.
 */
export function responseStatus(response: HTTPGraphQLResponse, { state }: Context): number {
  const isLegacy = response.headers.get('content-type')?.startsWith('application/json');
  return state.isDocumentRejected && isLegacy ? 200 : (response.status ?? 200);
}
