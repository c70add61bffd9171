import type { ApolloServerPlugin } from '@apollo/server';
import {
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { toApiError } from '../../data/call/to-api-error.ts';
import { assertMayChange } from '../../data/data-layer.ts';
import { invalidFields } from '../../model/errors.ts';
import type { GraphqlContext } from '../context.ts';
import { documentRejection, rejection } from '../graphql-errors.ts';
import { DocumentCost } from './document-cost.ts';
import { excessOfResponse } from './document-limits.ts';
import { isIntrospection } from './documents-without-token.ts';
import type { InputViolations } from './input-violations.ts';
import { fragmentsOf } from './merged-fields.ts';

/** A request whose document is valid. Apollo Server's own object of a request has these properties. */
export type DocumentRequest = {
  readonly contextValue: GraphqlContext;
  readonly source: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly request: {
    readonly operationName?: string | null | undefined;
    readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  };
};

/**
 * The checks of a request whose operation is known. graphql-js would reject variables of a wrong type, too, but its error
 * messages contain the values. Documents are cached, so these checks are not validation rules.
 */
export class RequestChecks {
  readonly #schema: GraphQLSchema;
  readonly #violations: InputViolations;
  // Of documents in a cache: counting takes about a tenth of the time of a mutation.
  readonly #costs = new WeakMap<OperationDefinitionNode, DocumentCost>();

  constructor(schema: GraphQLSchema, violations: InputViolations) {
    this.#schema = schema;
    this.#violations = violations;
  }

  plugin(): ApolloServerPlugin<GraphqlContext> {
    return {
      requestDidStart: async () => ({
        didResolveOperation: async ({ contextValue, source, document, operation, request }) => {
          // Apollo Server rejects a request without an operation later.
          if (operation) this.check({ contextValue, source, document, operation, request });
        },

        // The violations of the values in the document that graphql-js rejects need their positions.
        didEncounterErrors: async ({ document, errors }) => {
          if (document !== undefined) this.#violations.locate(document, errors);
        },
      }),
    };
  }

  /**
   * Records the operation of a request for the log and the metrics.
   *
   * @throws the refusal of a mutation with a read-only token, of variables of a wrong type, of a response that could
   *   have too many fields, and of mutations or an introspection beyond the rate limit
   */
  check({ contextValue, request, document, operation }: DocumentRequest): void {
    const type = operation.operation;
    contextValue.state.operation = operation;
    if (type !== OperationTypeNode.QUERY && contextValue.isAuthenticated) assertChanges(contextValue);
    const variables = request.variables ?? {};
    const cost = this.costOf(document, operation);
    const invalid = this.#violations.ofVariables(operation, variables, cost.maxItems);
    if (invalid.length > 0) {
      const nodes = new Set(invalid.map(({ definition }) => definition));
      throw rejection(invalidFields(invalid.map(({ violation }) => violation)), [...nodes]);
    }
    const excess = excessOfResponse(cost, variables);
    if (excess !== undefined) throw documentRejection(excess);
    if (type === OperationTypeNode.MUTATION) countMutations(contextValue, cost.rootFields);
    else if (isIntrospection(document)) rejecting(() => contextValue.request.countIntrospection());
  }

  /** Returns the cost of an operation of a valid document. */
  costOf(document: DocumentNode, operation: OperationDefinitionNode): DocumentCost {
    const known = this.#costs.get(operation);
    if (known !== undefined) return known;
    const cost = new DocumentCost(this.#schema, fragmentsOf(document), operation);
    this.#costs.set(operation, cost);
    return cost;
  }
}

/** Counts each mutation like a request, so the rate limits bound the rows that a client adds. */
function countMutations({ request }: GraphqlContext, count: number): void {
  // The HTTP request counts for the first.
  if (count > 1) rejecting(() => request.countMutations(count));
}

/** Refuses a whole request whose mutations would all be refused. */
function assertChanges(context: GraphqlContext): void {
  rejecting(() => assertMayChange(context.callWithoutKey));
}

/** Rejects a whole request if a function throws. */
function rejecting(assert: () => void): void {
  try {
    assert();
  } catch (error) {
    throw rejection(toApiError(error));
  }
}
