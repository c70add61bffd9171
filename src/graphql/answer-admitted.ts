import { channel } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import type { DataLayer } from '../data/data-layer.ts';
import type { AdmittedOperations } from './admitted-operations.ts';
import { AnswerMemory, type Place, placeOf } from './answer-memory.ts';
import type { Values } from './compiler/input-values.ts';
import { Context } from './context.ts';

/** A request of the plainest kind, on which Apollo Server has nothing to say but what it asks for. */
export type PlainRequest = {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: Values | null;
};

/** An answer, and whether the same request would get the same again while the data are as they are. */
type Answer = { readonly text: string; readonly isLasting: boolean };

type Shortcut = NonNullable<ReturnType<FastifyInstance['shortcuts']['get']>>;

/** Tells the ids of the requests that Apollo Server had no part in, and what they were answered from. */
const answered = channel('paw-gateway:answered');

/**
 * Makes the shortcut that answers requests for operations which were admitted before.
 * What is to be refused before anything is executed is left to Apollo Server and its plugins.
 *
 * @param contentTypes what Apollo Server has chosen for each `Accept` header so far
 */
export function answerAdmitted(
  admitted: AdmittedOperations,
  contentTypes: ReadonlyMap<string | undefined, string>,
  data: DataLayer,
  formatError: (formatted: GraphQLFormattedError, error: GraphQLError, id: string) => GraphQLFormattedError,
): Shortcut {
  const memory = new AnswerMemory();

  /** Finds out who asks. Returns where the answer has its place, if it can be remembered. */
  async function recognise(context: Context, body: Buffer): Promise<Place | undefined> {
    try {
      const dataVersion = await data.dataVersion();
      await context.authenticate();
      return dataVersion === undefined ? undefined : placeOf(dataVersion, context.principal, body);
    } catch {
      // Some operations need no token, and the others are refused below.
      return undefined;
    }
  }

  async function execute(sent: unknown, context: Context, id: string): Promise<Answer | undefined> {
    const plain = plainRequest(sent);
    const operation = plain && admitted.find(plain);
    if (operation === undefined || (operation.needsToken && !context.isAuthenticated)) return undefined;
    const outcome = await operation.run(context, plain?.variables ?? {});
    if (outcome === undefined) return undefined;
    answered.publish({ id, from: 'compiled operation' });
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

  return async ({ id, headers, body, json, authenticate }) => {
    const contentType = contentTypes.get(headers.accept);
    if (contentType === undefined) return undefined;
    const context = new Context(data, authenticate);
    const place = await recognise(context, body);
    const remembered = place && memory.find(place);
    if (remembered !== undefined) {
      answered.publish({ id, from: 'memory' });
      return { contentType, body: remembered };
    }
    const answer = await execute(json(), context, id);
    if (answer === undefined) return undefined;
    // What was committed in the meantime may be in it, or in a part of it.
    if (place && answer.isLasting && (await data.dataVersion().catch(noVersion)) === place.dataVersion) {
      memory.keep(place, answer.text);
    }
    return { contentType, body: answer.text };
  };
}

/** During an outage nothing can be told, nor kept. */
const noVersion = () => undefined;

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
