import { hash } from 'node:crypto';
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  type OperationDefinitionNode,
  print,
  separateOperations,
  visit,
} from 'graphql';
import type { IdempotentRequest } from '../data/idempotency/begin-idempotent.ts';
import { clientMutationId, normalizedFields } from '../model/fields/fields.ts';
import { isJsonObject } from '../model/fields/json.ts';
import { mutations } from './resolvers/mutations.ts';
import { fragmentsOf, MergedFields } from './rules/merged-fields.ts';
import type { DocumentRequest } from './rules/request-checks.ts';

type Sent = Pick<DocumentRequest, 'document' | 'operation' | 'request'>;

type Content = Pick<IdempotentRequest, 'content' | 'passwords' | 'locksAccount'>;

/** The validators of the input of each mutation. */
const VALIDATORS = new Map(
  Object.entries(mutations).map(([name, { rules }]) => [name, { ...rules.input, clientMutationId }]),
);

/** The contents of a request's document, without the inputs of its mutations. */
type Shape = {
  /** The digest of the operation and of the fragments that it uses, as graphql-js prints them. */
  readonly digest: string;
  /** The variables that are used outside of the inputs: by `@skip`, `@include` and the fields of the payloads. */
  readonly variables: readonly string[];
  /** One field for each response key. */
  readonly mutations: readonly FieldNode[];
};

/**
 * Finds what two requests with mutations have in common if they do the same: the operation, the fragments that it uses, the
 * values of its variables, and the inputs of its mutations as the operations of the data layer read them. So another spelling
 * is the same request, and an input is the same in the document and in a variable.
 */
export class IdempotentContents {
  readonly #schema: GraphQLSchema;
  // Of documents in a cache: printing takes longer than all else here.
  readonly #shapes = new WeakMap<OperationDefinitionNode, Shape>();

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  of({ document, operation, request }: Sent): Content {
    const { digest, variables, mutations } = this.#shapeOf(document, operation);
    const sent = request.variables ?? {};
    // The execution refuses variables with errors.
    const { coerced = sent } = getVariableValues(this.#schema, operation.variableDefinitions ?? [], sent);
    const inputs = mutations.map((mutation) => this.#inputOf(mutation, coerced));
    // No argument in the contract has a default, so null means the same as omitted.
    const values = variables.map((name) => coerced[name] ?? null);
    const hasSeveral = mutations.length > 1;
    const passwords = hasSeveral ? inputs.flatMap(passwordIn) : [];
    const locksAccount = hasSeveral || inputs.some((input) => isJsonObject(input) && input['reference']);
    return { content: ['GraphQL', digest, values, inputs], passwords, locksAccount };
  }

  /** Returns the input of a mutation, or undefined if it has none, or fails. */
  #inputOf(mutation: FieldNode, variables: Readonly<Record<string, unknown>>): unknown {
    const name = mutation.name.value;
    const validators = VALIDATORS.get(name);
    const field = this.#schema.getMutationType()?.getFields()[name];
    if (validators === undefined || field === undefined) return undefined;
    try {
      const { input } = getArgumentValues(field, mutation, variables);
      return normalizedFields(isJsonObject(input) ? input : {}, validators);
    } catch (error) {
      // A null that graphql-js notices when it executes the field.
      if (error instanceof GraphQLError) return undefined;
      throw error;
    }
  }

  #shapeOf(document: DocumentNode, operation: OperationDefinitionNode): Shape {
    const known = this.#shapes.get(operation);
    if (known !== undefined) return known;
    const merged = new MergedFields(fragmentsOf(document));
    merged.add(operation.selectionSet);
    const fields = [...merged.byKey.values()].map((each) => each.map(({ node }) => node));
    const roots = new Set(fields.flat());
    const used = separateOperations(document)[operation.name?.value ?? ''] ?? document;
    const variables = new Set<string>();
    const withoutInputs = visit(used, {
      VariableDefinition: () => null,
      Field: (node) => (roots.has(node) ? { ...node, arguments: [] } : undefined),
      Variable: ({ name }) => void variables.add(name.value),
    });
    const texts = withoutInputs.definitions.map(print).sort();
    const shape = {
      digest: hash('sha256', JSON.stringify(texts), 'base64url'),
      variables: [...variables].sort(),
      // The fields of a key have equal arguments.
      mutations: fields.flatMap(([first]) => first ?? []),
    };
    this.#shapes.set(operation, shape);
    return shape;
  }
}

function passwordIn(input: unknown): readonly string[] {
  return isJsonObject(input) && typeof input['password'] === 'string' ? [input['password']] : [];
}
