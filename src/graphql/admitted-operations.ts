import type { ApolloServerPlugin } from '@apollo/server';
import { type DocumentNode, type GraphQLSchema, OperationTypeNode, visit } from 'graphql';
import { LruCache } from '../model/lru-cache.ts';
import { isIntrospection } from './authentication.ts';
import { type CompiledOperation, compileOperation } from './compiler/compile-operation.ts';
import type { Context } from './context.ts';

/** An operation that Apollo Server has parsed, validated and let through before. */
export type AdmittedOperation = CompiledOperation & {
  /** Whether it selects anything beyond the schema itself. */
  readonly needsToken: boolean;
  /** Whether it changes nothing. */
  readonly isQuery: boolean;
};

/** A request for an operation, as far as it matters to which one it is. */
type Sent = { readonly query: string; readonly operationName?: string | null | undefined };

// Compiled, an operation takes some 50 times the memory of its text.
const MAX_CHARACTERS = 250_000;

/**
 * The operations that have been admitted lately, compiled. What is decided anew for
 * each request is not kept: whom its token speaks for, whether its variables fit, and
 * what kinds of answer the client takes.
 */
export class AdmittedOperations {
  readonly #operations = new LruCache<AdmittedOperation>(MAX_CHARACTERS);

  find(sent: Sent): AdmittedOperation | undefined {
    return this.#operations.get(keyOf(sent));
  }

  /** The plugin that keeps what Apollo Server is about to execute. */
  plugin(schema: GraphQLSchema): ApolloServerPlugin<Context> {
    const operations = this.#operations;
    return {
      async requestDidStart() {
        return {
          async executionDidStart({ request, source, document, operation }) {
            // Against what its type says, one that cannot be told comes here, too, and is refused by graphql-js.
            if (operation === undefined) return;
            // The one name that a plain object cannot have as a key of its own.
            if (source.includes('__proto__')) return;
            const key = keyOf({ query: source, operationName: request.operationName });
            // What does not come as a plain request, such as a persisted query, comes here each time.
            if (operations.get(key) !== undefined) return;
            dropTokens(document);
            const admitted = {
              ...compileOperation(schema, document, operation),
              needsToken: !isIntrospection(operation.selectionSet, document),
              isQuery: operation.operation === OperationTypeNode.QUERY,
            };
            operations.set(key, admitted, key.length);
          },
        };
      },
    };
  }
}

/**
 * Lets go of the tokens that a document was parsed from, which take more memory than
 * all else of it. What errors tell of it are places, which stay.
 */
function dropTokens(document: DocumentNode): void {
  visit(document, {
    enter({ loc }) {
      if (loc) Object.assign(loc, { startToken: undefined, endToken: undefined });
    },
  });
}

// No document holds U+0000.
function keyOf({ query, operationName }: Sent): string {
  return operationName == null ? query : `${query}\0${operationName}`;
}
