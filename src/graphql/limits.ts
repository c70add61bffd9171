import { GraphQLError, type ValidationRule } from 'graphql';

/** The most tokens that a document may have. */
export const MAX_DOCUMENT_TOKENS = 5000;

const MAX_ROOT_FIELDS = 30;

/**
 * Bounds how many fields of `Query` and `Mutation` one document may select, under
 * whatever aliases: each is an operation's worth of work. What lies below them is
 * bounded by the schema, which has no way back up.
 */
export const limitRootFields: ValidationRule = (context) => {
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
};
