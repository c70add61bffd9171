import { type ApolloServerPlugin, type GraphQLRequestContext, HeaderMap } from '@apollo/server';
import { OperationTypeNode } from 'graphql';
import { toApiError } from '../../data/operation/errors.ts';
import { ByteCache, bytesOf } from '../../model/byte-cache.ts';
import type { Context } from '../context.ts';
import { refusal } from '../error-format.ts';
import { isIntrospection } from '../limits/authentication.ts';

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
      return {
        async didResolveOperation(request) {
          const { document, operation, contextValue } = request;
          if (operation?.operation !== OperationTypeNode.QUERY || !isIntrospection(document)) return;
          key = keyOf(request);
          contextValue.state.json = results.get(key);
          if (contextValue.state.json !== undefined) return;
          await contextValue.request.countIntrospection().catch((error) => {
            throw refusal(toApiError(error));
          });
        },

        async responseForOperation({ contextValue: { state } }) {
          if (key === undefined || state.json === undefined) return null;
          // `state.json` is sent in place of this result.
          return { http: { headers: new HeaderMap() }, body: { kind: 'single', singleResult: {} } };
        },

        async willSendResponse({ contextValue: { state, isAuthenticated }, response: { body } }) {
          if (key === undefined || state.json !== undefined || body.kind !== 'single') return;
          if (body.singleResult.errors !== undefined) return;
          state.json = JSON.stringify(body.singleResult);
          if (isAuthenticated) results.set(key, state.json);
        },
      };
    },
  };
}

function keyOf({ queryHash, request: { operationName = '', variables = {} } }: Request): string {
  return JSON.stringify([queryHash, operationName, variables]);
}
