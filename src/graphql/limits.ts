import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  Kind,
  type ValidationContext,
  type ValidationRule,
  visit,
} from 'graphql';
import { MAX_LIST_LENGTH, responseFields } from './response-fields.ts';

/** The most tokens that a document may have. Parsing ends there. */
export const MAX_DOCUMENT_TOKENS = 2000;

const MAX_ROOT_FIELDS = 30;

const MAX_RESPONSE_FIELDS = 20_000;

// The validation compares each two fields of one name, and each two fragments.
const MAX_REPEATED_FIELDS = 200;
const MAX_FRAGMENT_SPREADS = 200;

/** Limits on what one document may ask for, and so on the work that a request can make. */
export const limits: readonly ValidationRule[] = [limitDocument, limitRootFields];

/** Refuses a document that is too large in any way, before the rules of graphql-js look at what it holds. */
function limitDocument(context: ValidationContext): ASTVisitor {
  return {
    Document(document) {
      const error =
        refuseSubscriptions(context, document) ??
        limitSelections(document) ??
        limitResponseFields(context, document);
      if (error === undefined) return undefined;
      context.reportError(error);
      // What is returned here is what the other rules go on with.
      return { ...document, definitions: [] };
    },
  };
}

/** Refuses an operation type that the schema has no root for, which graphql-js notices only at execution. */
function refuseSubscriptions(
  context: ValidationContext,
  { definitions }: DocumentNode,
): GraphQLError | undefined {
  const nodes = definitions.find(
    (node) => node.kind === Kind.OPERATION_DEFINITION && !context.getSchema().getRootType(node.operation),
  );
  return nodes && new GraphQLError('The schema has no subscriptions.', { nodes });
}

/** Bounds what takes a time that grows with its square in the validation. */
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
    return new GraphQLError(`A document may repeat at most ${MAX_REPEATED_FIELDS} fields beside each other.`);
  }
  if (spreads > MAX_FRAGMENT_SPREADS) {
    return new GraphQLError(`A document may spread at most ${MAX_FRAGMENT_SPREADS} fragments.`);
  }
  return undefined;
}

/** Bounds the fields of the response: aliases within lists make a large response of a small document. */
function limitResponseFields(context: ValidationContext, document: DocumentNode): GraphQLError | undefined {
  const count = responseFields(context.getSchema(), document, MAX_LIST_LENGTH, MAX_RESPONSE_FIELDS);
  const nodes = document.definitions.find(
    (node) => node.kind === Kind.OPERATION_DEFINITION && count(node) > MAX_RESPONSE_FIELDS,
  );
  const message = `A response may have at most ${MAX_RESPONSE_FIELDS} fields, where a list counts as ${MAX_LIST_LENGTH} items.`;
  return nodes && new GraphQLError(message, { nodes });
}

/** Bounds the fields of `Query` and `Mutation`, aliases included: each is one call of the data layer. */
function limitRootFields(context: ValidationContext): ASTVisitor {
  const schema = context.getSchema();
  let count = 0;
  return {
    Field(node) {
      const parent = context.getParentType();
      if (parent !== schema.getQueryType() && parent !== schema.getMutationType()) return;
      count += 1;
      if (count === MAX_ROOT_FIELDS + 1) {
        const message = `A document may select at most ${MAX_ROOT_FIELDS} fields of Query and Mutation.`;
        context.reportError(new GraphQLError(message, { nodes: node }));
      }
    },
  };
}
