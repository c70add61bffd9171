import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import { statusCodeOf } from '../http/http-error.ts';
import { invalidFields } from '../model/api-error.ts';
import type { Context } from './context.ts';
import { type InputViolations, isValueNode } from './input-violations.ts';

/**
 * Returns a plugin that rejects variables of the wrong type before execution. graphql-js would
 * reject them, too, but its error messages contain the values. It also finds the values in the
 * document that graphql-js rejects.
 */
export function checkVariables(violations: InputViolations): ApolloServerPlugin<Context> {
  return {
    requestDidStart: async () => ({
      async didResolveOperation({ request, operation }) {
        // Apollo Server rejects a request without an operation later.
        if (operation === undefined) return;
        const invalid = violations.ofVariables(operation, request.variables ?? {});
        if (invalid.length === 0) return;
        const error = invalidFields(invalid.flatMap((variable) => variable.violations));
        throw new GraphQLError(error.message, {
          nodes: invalid.map(({ definition }) => definition),
          originalError: error,
          extensions: { code: 'BAD_USER_INPUT', http: { status: statusCodeOf(error) } },
        });
      },

      async didEncounterErrors({ document, errors }) {
        const values = errors.flatMap(({ nodes = [] }) => nodes.filter(isValueNode));
        if (document !== undefined && values.length > 0) violations.locate(document, values);
      },
    }),
  };
}
