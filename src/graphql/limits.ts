import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  Kind,
  type ValidationContext,
  type ValidationRule,
  visit,
} from 'graphql';
import { fieldCounter, isPageField, MAX_LIST_LENGTH } from './response-fields.ts';

/** The maximum number of tokens of a document. The parser stops at this limit. */
export const MAX_DOCUMENT_TOKENS = 2000;

const MAX_DATA_FIELDS = 30;

const MAX_RESPONSE_FIELDS = 20_000;

// The validation of graphql-js compares all pairs of fields with the same name, and all pairs of fragments.
const MAX_REPEATED_FIELDS = 200;
const MAX_FRAGMENT_SPREADS = 200;

/** Validation rules that limit the cost of a document. */
export const limits: readonly ValidationRule[] = [limitDocument, limitDataFields];

/** Rejects a document that is too large, before the rules of graphql-js visit its definitions. */
function limitDocument(context: ValidationContext): ASTVisitor {
  return {
    Document(document) {
      const error =
        rejectSubscriptions(context, document) ??
        limitSelections(document) ??
        limitResponseFields(context, document);
      if (error === undefined) return undefined;
      context.reportError(error);
      // The other rules visit the returned document.
      return { ...document, definitions: [] };
    },
  };
}

/** Rejects an operation type without a root type in the schema. graphql-js would do so only during execution. */
function rejectSubscriptions(
  context: ValidationContext,
  { definitions }: DocumentNode,
): GraphQLError | undefined {
  const nodes = definitions.find(
    (node) => node.kind === Kind.OPERATION_DEFINITION && !context.getSchema().getRootType(node.operation),
  );
  return nodes && new GraphQLError('The schema has no subscriptions.', { nodes });
}

/** Limits the repeated fields and the fragment spreads, because the time of the validation is quadratic in both. */
function limitSelections(document: DocumentNode): GraphQLError | undefined {
  let repeated = 0;
  let spreads = 0;
  visit(document, {
    SelectionSet({ selections }) {
      const names = new Set<string>();
      for (const selection of selections) {
        if (selection.kind === Kind.FRAGMENT_SPREAD) spreads += 1;
        if (selection.kind !== Kind.FIELD) continue;
        const name = (selection.alias ?? selection.name).value;
        if (names.has(name)) repeated += 1;
        names.add(name);
      }
    },
  });
  if (repeated > MAX_REPEATED_FIELDS) {
    return new GraphQLError(`A document may have at most ${MAX_REPEATED_FIELDS} repeated fields.`);
  }
  if (spreads > MAX_FRAGMENT_SPREADS) {
    return new GraphQLError(`A document may have at most ${MAX_FRAGMENT_SPREADS} fragment spreads.`);
  }
  return undefined;
}

/**
 * Limits the fields of the response. With aliases inside lists, a small document can have a large response. A page also
 * counts as many fields as it has items, which are read even if they are not selected.
 */
function limitResponseFields(context: ValidationContext, document: DocumentNode): GraphQLError | undefined {
  const count = fieldCounter(
    context.getSchema(),
    document,
    MAX_LIST_LENGTH,
    MAX_RESPONSE_FIELDS,
    (_field, pageSize = 0) => 1 + pageSize,
  );
  const nodes = document.definitions.find(
    (node) => node.kind === Kind.OPERATION_DEFINITION && count(node) > MAX_RESPONSE_FIELDS,
  );
  const message = `A response may have at most ${MAX_RESPONSE_FIELDS} fields, counting a page as its size in the document, and other lists as ${MAX_LIST_LENGTH} items.`;
  return nodes && new GraphQLError(message, { nodes });
}

/** Limits the root fields and the connections, including aliases. Each is a call of the data layer. */
function limitDataFields(context: ValidationContext): ASTVisitor {
  const schema = context.getSchema();
  let count = 0;
  return {
    Field(node) {
      const parent = context.getParentType();
      const isRoot = parent === schema.getQueryType() || parent === schema.getMutationType();
      const field = context.getFieldDef();
      if (!isRoot && !(field && isPageField(field))) return;
      count += 1;
      if (count === MAX_DATA_FIELDS + 1) {
        const message = `A document may have at most ${MAX_DATA_FIELDS} fields of Query and Mutation and other connections.`;
        context.reportError(new GraphQLError(message, { nodes: node }));
      }
    },
  };
}
