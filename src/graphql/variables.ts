import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { statusCodeOf } from '../http/http-error.ts';
import { invalidFields } from '../model/api-error.ts';
import type { Context } from './context.ts';
import { variableViolations } from './input-violations.ts';

/**
 * Refuses variables that do not fit their types before anything is executed. graphql-js
 * would refuse them as well, but with the values in its errors.
 */
export function checkVariables(schema: GraphQLSchema): ApolloServerPlugin<Context> {
  return {
    requestDidStart: async () => ({
      async didResolveOperation({ request, operation }) {
        // An operation that can't be found is refused later.
        if (operation === undefined) return;
        const refused = variableViolations(schema, operation, request.variables ?? {});
        if (refused.length === 0) return;
        const error = invalidFields(refused.flatMap(({ violations }) => violations));
        throw new GraphQLError(error.message, {
          nodes: refused.map(({ definition }) => definition),
          originalError: error,
          extensions: { code: 'BAD_USER_INPUT', http: { status: statusCodeOf(error) } },
        });
      },
    }),
  };
}
