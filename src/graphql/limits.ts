import {
  type FieldNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';

/** The most tokens that a document may have. */
export const MAX_DOCUMENT_TOKENS = 5000;

const MAX_ROOT_FIELDS = 30;

const MAX_ANSWER_FIELDS = 20_000;

// The most items that a list of the schema has.
const LIST_LENGTH = 100;

/** What one request may ask for, in the order in which it is looked at. */
export const limits: readonly ValidationRule[] = [refuseSubscriptions, limitRootFields, limitAnswer];

/** Refuses an operation type that the schema has no root for, which graphql-js finds only while executing. */
function refuseSubscriptions(context: ValidationContext): ReturnType<ValidationRule> {
  return {
    OperationDefinition(node) {
      if (context.getSchema().getRootType(node.operation)) return;
      context.reportError(new GraphQLError(`The schema has no ${node.operation}s.`, { nodes: node }));
    },
  };
}

/**
 * Bounds how many fields of `Query` and `Mutation` a document may select, under
 * whatever aliases: each is an operation's worth of work.
 */
function limitRootFields(context: ValidationContext): ReturnType<ValidationRule> {
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

/**
 * Bounds how many fields an answer may have, every list being taken as long as one
 * can be: aliases within lists within aliases make a small document a huge answer.
 */
function limitAnswer(context: ValidationContext): ReturnType<ValidationRule> {
  const schema = context.getSchema();
  // A fragment is counted once, however often it is spread, so that this takes no longer than reading.
  const fragments = new Map<string, number>();

  function fieldsOf(selected: SelectionSetNode, parent: GraphQLNamedType | undefined): number {
    let fields = 0;
    for (const selection of selected.selections) {
      if (selection.kind === Kind.FIELD) {
        fields += 1 + fieldsBelow(selection, parent);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const condition = selection.typeCondition && schema.getType(selection.typeCondition.name.value);
        fields += fieldsOf(selection.selectionSet, condition ?? parent);
      } else {
        fields += fieldsOfFragment(selection.name.value);
      }
    }
    return fields;
  }

  function fieldsBelow({ name, selectionSet }: FieldNode, parent: GraphQLNamedType | undefined): number {
    if (selectionSet === undefined) return 0;
    const composite = isObjectType(parent) || isInterfaceType(parent);
    // What is not found here is introspection, which has limits of its own, or is refused by another rule.
    const type = composite ? parent.getFields()[name.value]?.type : undefined;
    return type === undefined ? 0 : lengthOf(type) * fieldsOf(selectionSet, getNamedType(type));
  }

  function fieldsOfFragment(name: string): number {
    const known = fragments.get(name);
    if (known !== undefined) return known;
    // For a fragment that spreads itself, which another rule refuses.
    fragments.set(name, 0);
    const fragment = context.getFragment(name);
    const fields = fragment
      ? fieldsOf(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value))
      : 0;
    fragments.set(name, fields);
    return fields;
  }

  return {
    OperationDefinition(node) {
      const fields = fieldsOf(node.selectionSet, schema.getRootType(node.operation) ?? undefined);
      if (fields <= MAX_ANSWER_FIELDS) return;
      const message = `The answer may have at most ${MAX_ANSWER_FIELDS} fields, a list counting as ${LIST_LENGTH} items.`;
      context.reportError(new GraphQLError(message, { nodes: node }));
    },
  };
}

function lengthOf(type: GraphQLOutputType): number {
  return isListType(getNullableType(type)) ? LIST_LENGTH : 1;
}
