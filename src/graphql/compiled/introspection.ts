import { type ApolloServerPlugin, type GraphQLRequestContext, HeaderMap } from '@apollo/server';
import { OperationTypeNode } from 'graphql';
import { toApiError } from '../../data/operation/errors.ts';
import { ByteCache, bytesOf } from '../../model/byte-cache.ts';
import type { Context } from '../context.ts';
import { refusal } from '../error-format.ts';
import { isIntrospection } from '../limits/authentication.ts';
import { textResult } from '../response.ts';

type Request = Pick<GraphQLRequestContext<Context>, 'queryHash' | 'request'>;

const MAX_CACHE_BYTES = 4_000_000;

/**
 * Returns a plugin that keeps the results of introspection with a valid token, for all clients, and limits the rate of those
 * that are not kept.
 */
export function introspectionCache(): ApolloServerPlugin<Context> {
  const results = new ByteCache<string>(MAX_CACHE_BYTES, bytesOf);
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
            throw refusal(toApiError(error));
          });
        },

        async responseForOperation() {
          if (kept === undefined) return null;
          return {
            http: { headers: new HeaderMap() },
            body: { kind: 'single', singleResult: textResult(kept) },
          };
        },

        async willSendResponse({ contextValue: { isAuthenticated }, response: { body } }) {
          if (key === undefined || kept !== undefined || body.kind !== 'single') return;
          if (body.singleResult.errors !== undefined) return;
          const json = JSON.stringify(body.singleResult);
          if (isAuthenticated) results.set(key, json);
          body.singleResult = textResult(json);
        },
      };
    },
  };
}

function keyOf({ queryHash, request: { operationName = '', variables = {} } }: Request): string {
  return JSON.stringify([queryHash, operationName, variables]);
}
