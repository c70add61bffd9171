import { type DocumentNode, GraphQLError, type GraphQLSchema, Kind, type ValidationRule } from 'graphql';
import { amountFor, DocumentCost, type Variables } from './document-cost.ts';
import { fragmentsOf } from './merged-fields.ts';

/** The maximum number of tokens of a document. The parser stops at this limit. */
export const MAX_DOCUMENT_TOKENS = 1500;

const MAX_FIELDS = 2000;

// Validation compares each pair, in about 1 µs. A page of 100 fragments with five fields each has 9,900.
const MAX_PAIRS = 10_000;

// Introspection, which needs no token.
const MAX_PAIRS_WITHOUT_TOKEN = 3000;

const MAX_DATA_FIELDS = 30;

/** The maximum number of fields that a response could have. */
export const MAX_RESPONSE_FIELDS = 10_000;

export type ResponseCost = Pick<DocumentCost, 'responseFields' | 'maxItems'>;

type Counts = Pick<DocumentCost, 'fields' | 'pairs' | 'dataFields'>;

/**
 * Returns a validation rule that limits the structure of a document, before the rules of graphql-js visit its definitions. The
 * size of the response is limited by `excessOfResponse` when the variables are known.
 */
export function limitDocument(hasToken: () => boolean): ValidationRule {
  return (context) => ({
    Document(document) {
      const maxPairs = hasToken() ? MAX_PAIRS : MAX_PAIRS_WITHOUT_TOKEN;
      const message = excessOfDocument(context.getSchema(), document, maxPairs);
      if (message === undefined) return undefined;
      context.reportError(new GraphQLError(message));
      // The other rules visit the returned document.
      return { ...document, definitions: [] };
    },
  });
}

/** Returns the error of a document at which the parser stopped for `MAX_DOCUMENT_TOKENS`, or undefined for a syntax error. */
export function excessOfTokens({ message }: GraphQLError): string | undefined {
  // Only its words tell this error of graphql-js from a syntax error, which quotes any word of the document.
  const isTooLarge = / tokens\b/.test(message) && !message.includes('"');
  return isTooLarge ? `A document may have at most ${MAX_DOCUMENT_TOKENS} tokens.` : undefined;
}

/** Returns the error of a document that exceeds a limit. Fragments count by themselves, too, because validation visits them. */
function excessOfDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  maxPairs: number,
): string | undefined {
  const fragments = fragmentsOf(document);
  const sum = { fields: 0, pairs: 0, dataFields: 0 };
  for (const definition of document.definitions) {
    const isOperation = definition.kind === Kind.OPERATION_DEFINITION;
    if (!isOperation && definition.kind !== Kind.FRAGMENT_DEFINITION) continue;
    // graphql-js would reject the operation only during its execution.
    if (isOperation && !schema.getRootType(definition.operation)) return 'The schema has no subscriptions.';
    const cost = new DocumentCost(
      schema,
      fragments,
      definition,
      (partial) => excessOf(partial, maxPairs) !== undefined,
    );
    sum.fields += cost.fields;
    sum.pairs += cost.pairs;
    if (isOperation) sum.dataFields += cost.dataFields;
    const excess = excessOf(cost, maxPairs) ?? excessOf(sum, maxPairs);
    if (excess !== undefined) return excess;
  }
  return undefined;
}

function excessOf({ fields, pairs, dataFields }: Counts, maxPairs: number): string | undefined {
  if (dataFields > MAX_DATA_FIELDS) {
    return `A document may have at most ${MAX_DATA_FIELDS} fields of Query and Mutation and other connections.`;
  }
  if (fields > MAX_FIELDS)
    return `A document may have at most ${MAX_FIELDS} fields, with its fragments expanded.`;
  if (pairs > maxPairs) {
    return `A document may have at most ${maxPairs} pairs of selections of the same field, and of fragments, in the same object. Five pairs of fields without arguments and selections count as one.`;
  }
  return undefined;
}

/** Returns whether a list in the variables of a request has more items than the operation accepts. */
export function hasTooManyItems({ maxItems }: ResponseCost, variables: Variables): boolean {
  return maxItems.entries().some(([name, max]) => isLonger(variables[name], max));
}

export function isLonger(value: unknown, maxItems: number): boolean {
  return Array.isArray(value) && value.length > maxItems;
}

/** Returns the error of an operation whose response could have too many fields with the variables of a request. */
export function excessOfResponse({ responseFields }: ResponseCost, variables: Variables): string | undefined {
  const estimate = amountFor(responseFields, variables);
  if (estimate <= MAX_RESPONSE_FIELDS) return undefined;
  return `A response may have at most ${MAX_RESPONSE_FIELDS} fields. This one could have ${estimate}: select fewer fields, or smaller pages.`;
}
