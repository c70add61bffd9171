import type { ApolloServerPlugin } from '@apollo/server';
import {
  type DocumentNode,
  type GraphQLSchema,
  isValueNode,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { toApiError } from '../../data/operation/errors.ts';
import { invalidFields } from '../../model/errors.ts';
import type { Context } from '../context.ts';
import { documentRefusal, refusal } from '../error-format.ts';
import type { InputViolations } from './input-violations.ts';
import { excessOfResponse, type ResponseCost } from './limits.ts';
import { fragmentsOf, MergedFields } from './merged-fields.ts';
import { OperationCost } from './operation-cost.ts';

/**
 * Returns a plugin that records the operation of a request for the log and the metrics, and rejects
 * it before execution: a mutation with a token that may only read, variables of a wrong type, a response that could have too
 * many fields, and mutations beyond the rate limit. graphql-js would reject the variables, too, but its error messages contain
 * the values. Documents are cached, so that these checks are no validation rules.
 */
export function requestChecks(
  schema: GraphQLSchema,
  violations: InputViolations,
): ApolloServerPlugin<Context> {
  // Of documents in the cache of Apollo Server: counting takes about a tenth of the time of a mutation.
  const costs = new WeakMap<OperationDefinitionNode, ResponseCost>();
  return {
    requestDidStart: async () => ({
      async didResolveOperation({ contextValue, request, document, operation }) {
        // Apollo Server rejects a request without an operation later.
        if (operation === undefined) return;
        const type = operation.operation;
        contextValue.state.operation = operation;
        if (type !== OperationTypeNode.QUERY && contextValue.isAuthenticated) assertChanges(contextValue);
        const variables = request.variables ?? {};
        const cost = costs.get(operation) ?? new OperationCost(schema, fragmentsOf(document), operation);
        costs.set(operation, cost);
        const invalid = violations.ofVariables(operation, variables, cost.maxItems);
        if (invalid.length > 0) {
          const nodes = new Set(invalid.map(({ definition }) => definition));
          throw refusal(invalidFields(invalid.map(({ violation }) => violation)), [...nodes]);
        }
        const excess = excessOfResponse(cost, variables);
        if (excess !== undefined) throw documentRefusal(excess);
        if (type === OperationTypeNode.MUTATION) await countMutations(contextValue, document, operation);
      },

      // The violations of the values in the document that graphql-js rejects need their positions.
      async didEncounterErrors({ document, errors }) {
        const values = errors.flatMap(({ nodes = [] }) => nodes.filter(isValueNode));
        if (document !== undefined && values.length > 0) violations.locate(document, values);
      },
    }),
  };
}

/** Counts each mutation like a request, so that the rate limits bound the rows that a client adds. */
async function countMutations(
  { request }: Context,
  document: DocumentNode,
  { selectionSet }: OperationDefinitionNode,
): Promise<void> {
  const merged = new MergedFields(fragmentsOf(document));
  merged.add(selectionSet);
  await request.countMutations(merged.byKey.size).catch((error) => {
    throw refusal(toApiError(error));
  });
}

/** Refuses a whole request whose mutations would all be refused. */
function assertChanges(context: Context): void {
  try {
    context.ownOperations.assertMayChange();
  } catch (error) {
    throw refusal(toApiError(error));
  }
}
