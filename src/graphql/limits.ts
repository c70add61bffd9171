import {
  type FieldNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { MAX_LIST_LENGTH, responseFields } from './response-fields.ts';

/** The most tokens that a document may have. Parsing ends there. */
export const MAX_DOCUMENT_TOKENS = 2000;

const MAX_ROOT_FIELDS = 30;

const MAX_RESPONSE_FIELDS = 20_000;

/** Limits on what one document may ask for, and so on the work that a request can make. */
export const limits: readonly ValidationRule[] = [refuseSubscriptions, limitRootFields, limitResponseFields];

/** Refuses an operation type that the schema has no root for, which graphql-js notices only at execution. */
function refuseSubscriptions(context: ValidationContext): ReturnType<ValidationRule> {
  return {
    OperationDefinition(node) {
      if (context.getSchema().getRootType(node.operation)) return;
      context.reportError(new GraphQLError(`The schema has no ${node.operation}s.`, { nodes: node }));
    },
  };
}

/** Bounds the fields of `Query` and `Mutation`, aliases included: each is one call of the data layer. */
function limitRootFields(context: ValidationContext): ReturnType<ValidationRule> {
  const schema = context.getSchema();
  let count = 0;
  return {
    Field(node: FieldNode) {
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

/** Bounds the fields of the response: aliases within lists make a large response of a small document. */
function limitResponseFields(context: ValidationContext): ReturnType<ValidationRule> {
  const { definitions } = context.getDocument();
  return {
    [Kind.DOCUMENT]() {
      const count = responseFields(
        context.getSchema(),
        context.getDocument(),
        MAX_LIST_LENGTH,
        MAX_RESPONSE_FIELDS,
      );
      for (const node of definitions) {
        if (node.kind === Kind.OPERATION_DEFINITION && count(node) > MAX_RESPONSE_FIELDS) {
          context.reportError(tooManyFields(node));
        }
      }
    },
  };
}

function tooManyFields(nodes: OperationDefinitionNode): GraphQLError {
  const message = `A response may have at most ${MAX_RESPONSE_FIELDS} fields, where a list counts as ${MAX_LIST_LENGTH} items.`;
  return new GraphQLError(message, { nodes });
}
