import type { ApolloServerPlugin } from '@apollo/server';
import { isValueNode } from 'graphql';
import { invalidFields } from '../model/api-error.ts';
import type { Context } from './context.ts';
import { refusal } from './errors.ts';
import type { InputViolations } from './input-violations.ts';

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
        throw refusal(
          error,
          invalid.map(({ definition }) => definition),
        );
      },

      async didEncounterErrors({ document, errors }) {
        const values = errors.flatMap(({ nodes = [] }) => nodes.filter(isValueNode));
        if (document !== undefined && values.length > 0) violations.locate(document, values);
      },
    }),
  };
}
