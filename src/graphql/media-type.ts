import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import Negotiator from 'negotiator';
import type { Context } from './context.ts';

const MEDIA_TYPES = ['application/json', 'application/graphql-response+json'];

/**
 * Keeps an operation from being executed if the client would not take its answer.
 * Apollo Server says so itself, by 406, but looks only when it has the answer, and
 * then a mutation has been made that seems refused.
 */
export const mediaType: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ request }) {
        const accept = request.http?.headers.get('accept');
        if (accept === undefined || accept === '*/*' || accept === 'application/json') return;
        if (new Negotiator({ headers: { accept } }).mediaType(MEDIA_TYPES) === undefined) {
          throw new GraphQLError('Not acceptable.', { extensions: { code: 'BAD_REQUEST' } });
        }
      },
    };
  },
};
