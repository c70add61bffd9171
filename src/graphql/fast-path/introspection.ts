import { type ApolloServerPlugin, type GraphQLRequestContext, HeaderMap } from '@apollo/server';
import { OperationTypeNode } from 'graphql';
import { toApiError } from '../../data/call/to-api-error.ts';
import { ByteCache, countBytes } from '../../model/byte-cache.ts';
import type { GraphqlContext } from '../context.ts';
import { rejection } from '../graphql-errors.ts';
import { storedBody } from '../response.ts';
import { isIntrospection } from '../rules/documents-without-token.ts';

type Request = Pick<GraphQLRequestContext<GraphqlContext>, 'queryHash' | 'request'>;

const MAX_CACHE_BYTES = 4_000_000;

/**
 * Returns a plugin that keeps the results of introspection with a valid token, for all clients, and limits the rate of those
 * that are not kept.
 */
export function introspectionCache(): ApolloServerPlugin<GraphqlContext> {
  const results = new ByteCache<string>(MAX_CACHE_BYTES, countBytes);
  return {
    async requestDidStart() {
      let key: string | undefined;
      let kept: string | undefined;
      return {
        async didResolveOperation(request) {
          const { document, operation, contextValue } = request;
          if (operation?.operation !== OperationTypeNode.QUERY || !isIntrospection(document)) return;
          key = keyOf(request);
          kept = results.get(key);
          if (kept !== undefined) return;
          await contextValue.request.countIntrospection().catch((error) => {
            throw rejection(toApiError(error));
          });
        },

        async responseForOperation() {
          if (kept === undefined) return null;
          return {
            http: { headers: new HeaderMap() },
            body: { kind: 'single', singleResult: storedBody(kept) },
          };
        },

        async willSendResponse({ contextValue: { isAuthenticated }, response: { body } }) {
          if (key === undefined || kept !== undefined || body.kind !== 'single') return;
          if (body.singleResult.errors !== undefined) return;
          const json = JSON.stringify(body.singleResult);
          if (isAuthenticated) results.set(key, json);
          body.singleResult = storedBody(json);
        },
      };
    },
  };
}

function keyOf({ queryHash, request: { operationName = '', variables = {} } }: Request): string {
  return JSON.stringify([queryHash, operationName, variables]);
}
