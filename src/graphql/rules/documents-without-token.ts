import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  Kind,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { ApiError } from '../../model/errors.ts';
import type { GraphqlContext } from '../context.ts';
import { rejection } from '../graphql-errors.ts';
import { fragmentsOf, MergedFields } from './merged-fields.ts';

/**
 * Returns a validation rule that rejects a document without a valid bearer token, before the other
 * rules visit its definitions. The schema is public: a document that selects only introspection
 * needs no token. Source: GraphQL over HTTP, section on status codes.
 */
export function requireToken(currentContext: () => GraphqlContext | undefined): ValidationRule {
  return (validation) => ({
    Document(document) {
      const { own } = currentContext() ?? {};
      if (!(own instanceof ApiError) || isIntrospection(document)) return undefined;
      validation.reportError(rejection(own));
      // The other rules visit the returned document.
      return { ...document, definitions: [] };
    },
  });
}

// Gives the schema to the router of a federated graph.
const SUBGRAPH_FIELD = '_service';

/** A validation rule for a server without introspection: it rejects the document of the subgraph, too. */
export function rejectSubgraphDocument(validation: ValidationContext): ASTVisitor {
  return {
    Field(node) {
      if (node.name.value !== SUBGRAPH_FIELD) return;
      validation.reportError(new GraphQLError('GraphQL introspection is turned off.', { nodes: node }));
    },
  };
}

/** Returns whether the operations of a document, which may be invalid, select only introspection. */
export function isIntrospection(document: DocumentNode): boolean {
  const merged = new MergedFields(fragmentsOf(document));
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) merged.add(definition.selectionSet);
  }
  const names = [...merged.byKey.values()].flat().map(({ node }) => node.name.value);
  return names.every((name) => name.startsWith('__') || name === SUBGRAPH_FIELD);
}
