import { channel } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import type { DataLayer } from '../data/data-layer.ts';
import type { AdmittedOperation, AdmittedOperations } from './admitted-operations.ts';
import { Context } from './context.ts';
import type { Values } from './input-values.ts';

/** A request of the plainest kind, on which Apollo Server has nothing to say but what it asks for. */
export type PlainRequest = {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: Values | null;
};

type Shortcut = NonNullable<ReturnType<FastifyInstance['shortcuts']['get']>>;

/** Tells the ids of the requests that a compiled operation has answered. */
const answeredCompiled = channel('paw-gateway:answered-compiled');

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
  async function answer(
    { run, needsToken }: AdmittedOperation,
    { id, authenticate }: Parameters<Shortcut>[0],
    sent: Values,
  ): Promise<string | undefined> {
    const context = new Context(data, authenticate);
    if (needsToken) {
      try {
        await context.authenticate();
      } catch {
        return undefined;
      }
    }
    const outcome = await run(context, sent);
    if (outcome === undefined) return undefined;
    answeredCompiled.publish(id);
    const { data: answered } = outcome;
    if (outcome.errors.length === 0) return JSON.stringify({ data: answered });
    const errors = outcome.errors.map((error) => {
      const formatted = error.toJSON();
      const extensions = { code: 'INTERNAL_SERVER_ERROR', ...formatted.extensions };
      return formatError({ ...formatted, extensions }, error, id);
    });
    return JSON.stringify({ errors, data: answered });
  }

  return async (request) => {
    const contentType = contentTypes.get(request.headers.accept);
    const plain = plainRequest(request.body);
    const operation = plain && admitted.find(plain);
    if (contentType === undefined || operation === undefined) return undefined;
    const body = await answer(operation, request, plain?.variables ?? {});
    return body === undefined ? undefined : { contentType, body };
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
