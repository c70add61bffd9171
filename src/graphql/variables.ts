import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { statusCodeOf } from '../http/http-error.ts';
import { invalidFields } from '../model/api-error.ts';
import type { Context } from './context.ts';
import { variableViolations } from './input-violations.ts';

/**
 * Returns a plugin that rejects variables of the wrong type before execution. graphql-js would
 * reject them, too, but its error messages contain the values.
 */
export function checkVariables(schema: GraphQLSchema): ApolloServerPlugin<Context> {
  return {
    requestDidStart: async () => ({
      async didResolveOperation({ request, operation }) {
        // Apollo Server rejects a request without an operation later.
        if (operation === undefined) return;
        const invalid = variableViolations(schema, operation, request.variables ?? {});
        if (invalid.length === 0) return;
        const error = invalidFields(invalid.flatMap(({ violations }) => violations));
        throw new GraphQLError(error.message, {
          nodes: invalid.map(({ definition }) => definition),
          originalError: error,
          extensions: { code: 'BAD_USER_INPUT', http: { status: statusCodeOf(error) } },
        });
      },
    }),
  };
}
