import { channel } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import type { DataLayer } from '../data/data-layer.ts';
import { type Answer, AnswerMemory } from '../model/answer-memory.ts';
import type { AdmittedOperations } from './admitted-operations.ts';
import type { Values } from './compiler/input-values.ts';
import { Context } from './context.ts';

/** A request of the plainest kind, on which Apollo Server has nothing to say but what it asks for. */
export type PlainRequest = {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: Values | null;
};

type Shortcut = NonNullable<ReturnType<FastifyInstance['shortcuts']['get']>>;

/** Tells the ids of the requests that Apollo Server had no part in, and what they were answered from. */
const answered = channel('paw-gateway:answered');

/**
 * Makes the shortcut that answers requests for operations which were admitted before, from
 * memory if they were answered before, too. What is to be refused before anything is
 * executed is left to Apollo Server and its plugins.
 *
 * @param contentTypes what Apollo Server has chosen for each `Accept` header so far
 */
export function answerAdmitted(
  admitted: AdmittedOperations,
  contentTypes: ReadonlyMap<string | undefined, string>,
  data: DataLayer,
  formatError: (formatted: GraphQLFormattedError, error: GraphQLError, id: string) => GraphQLFormattedError,
): Shortcut {
  const memory = new AnswerMemory(data.dataVersion);

  async function execute(sent: unknown, context: Context, id: string): Promise<Answer | undefined> {
    const plain = plainRequest(sent);
    const operation = plain && admitted.find(plain);
    if (operation === undefined || (operation.needsToken && !context.isAuthenticated)) return undefined;
    const outcome = await operation.run(context, plain?.variables ?? {});
    if (outcome === undefined) return undefined;
    if (outcome.errors.length === 0) {
      return { text: JSON.stringify({ data: outcome.data }), isLasting: operation.isQuery };
    }
    const errors = outcome.errors.map((error) => {
      const formatted = error.toJSON();
      const extensions = { code: 'INTERNAL_SERVER_ERROR', ...formatted.extensions };
      return formatError({ ...formatted, extensions }, error, id);
    });
    return { text: JSON.stringify({ errors, data: outcome.data }), isLasting: false };
  }

  return async ({ id, headers, body, parse, authenticate }) => {
    const contentType = contentTypes.get(headers.accept);
    if (contentType === undefined) return undefined;
    const context = new Context(data, authenticate);
    // Some operations need no token. The others Apollo Server refuses, if there is no good one, in its own words.
    await context.authenticate().catch(() => undefined);
    let from = 'memory';
    const make = () => {
      from = 'compiled operation';
      return execute(parse(), context, id);
    };
    const answer = context.isAuthenticated
      ? await memory.answer(context.principal, body, make)
      : (await make())?.text;
    if (answer === undefined) return undefined;
    answered.publish({ id, from });
    return { contentType, body: answer };
  };
}

/** What the body of a POST asks for, if it is of the plainest kind. */
export function plainRequest(body: unknown): PlainRequest | undefined {
  if (!isObject(body)) return undefined;
  const { query, operationName, variables, extensions } = body;
  const isPlain =
    typeof query === 'string' &&
    (operationName == null || typeof operationName === 'string') &&
    (variables == null || isObject(variables)) &&
    (extensions == null || (isObject(extensions) && !Object.hasOwn(extensions, 'persistedQuery')));
  return isPlain ? (body as PlainRequest) : undefined;
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
