import type { ApolloServerPlugin, HTTPGraphQLResponse } from '@apollo/server';
import type { Context } from './context.ts';

const REFUSALS = new Set<unknown>([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'BAD_USER_INPUT',
]);

/** Notes that a document did not parse or validate, or did not take its variables. */
export const noteRefusedDocument: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async willSendResponse({ contextValue, response }) {
        if (response.body.kind !== 'single' || response.http.status !== 400) return;
        const [error] = response.body.singleResult.errors ?? [];
        contextValue.progress.documentRefused = REFUSALS.has(error?.extensions?.['code']);
      },
    };
  },
};

/**
 * The HTTP status of an answer. A refused document is 400 to a client that takes
 * `application/graphql-response+json`; one that only knows `application/json` cannot
 * tell such an answer from one of something in between, and gets 200.
 * Source: GraphQL over HTTP, section on `application/json`.
 */
export function statusOf(response: HTTPGraphQLResponse, { progress }: Context): number {
  const legacy = response.headers.get('content-type')?.startsWith('application/json');
  return progress.documentRefused && legacy ? 200 : (response.status ?? 200);
}
