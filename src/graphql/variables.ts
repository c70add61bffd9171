import type { ApolloServerPlugin } from '@apollo/server';
import { type GraphQLSchema, isValueNode } from 'graphql';
import { invalidFields } from '../model/api-error.ts';
import type { Context } from './context.ts';
import { documentRefusal, refusal } from './errors.ts';
import type { InputViolations } from './input-violations.ts';
import { excessOfResponse } from './limits.ts';
import { fragmentsOf } from './merged-fields.ts';
import { OperationCost } from './operation-cost.ts';

/**
 * Returns a plugin that rejects variables of the wrong type before execution, and those with which
 * the response could have too many fields. graphql-js would reject the former, too, but its error
 * messages contain the values. The plugin also finds the values in the document that graphql-js rejects.
 */
export function checkVariables(
  schema: GraphQLSchema,
  violations: InputViolations,
): ApolloServerPlugin<Context> {
  return {
    requestDidStart: async () => ({
      async didResolveOperation({ request, document, operation }) {
        // Apollo Server rejects a request without an operation later.
        if (operation === undefined) return;
        const variables = request.variables ?? {};
        const invalid = violations.ofVariables(operation, variables);
        if (invalid.length > 0) {
          const error = invalidFields(invalid.flatMap((variable) => variable.violations));
          const nodes = invalid.map(({ definition }) => definition);
          throw refusal(error, nodes);
        }
        const cost = new OperationCost(schema, fragmentsOf(document), operation);
        const excess = excessOfResponse(cost, variables);
        if (excess !== undefined) throw documentRefusal(excess);
      },

      async didEncounterErrors({ document, errors }) {
        const values = errors.flatMap(({ nodes = [] }) => nodes.filter(isValueNode));
        if (document !== undefined && values.length > 0) violations.locate(document, values);
      },
    }),
  };
}
