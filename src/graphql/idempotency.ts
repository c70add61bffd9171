import { type ApolloServerPlugin, type GraphQLResponse, HeaderMap } from '@apollo/server';
import { type GraphQLSchema, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { toApiError } from '../data/call/to-api-error.ts';
import { beginIdempotent } from '../data/idempotency/begin-idempotent.ts';
import type { LogError } from '../http/log/error-log.ts';
import { REPLAYED_HEADER } from '../http/request/idempotency-headers.ts';
import { shouldLog } from '../model/errors.ts';
import type { GraphqlContext } from './context.ts';
import { graphqlError, httpOf } from './graphql-errors.ts';
import { IdempotentContents } from './idempotent-contents.ts';
import { storedBody } from './response.ts';
import type { DocumentRequest } from './rules/request-checks.ts';
import { resultJson } from './rules/response-size.ts';

type Request = Pick<DocumentRequest, 'contextValue' | 'document' | 'request'> & {
  readonly operation?: OperationDefinitionNode | undefined;
};

/** An Apollo Server response that is not incremental. */
export type SingleResponse = GraphQLResponse & { body: { kind: 'single' } };

type Executed = { readonly contextValue: GraphqlContext; readonly response: GraphQLResponse };

/**
 * Keeps the response to a request with mutations and an `Idempotency-Key` for a replay. The mutations of such a request are
 * one transaction: if one fails, none is applied, and `data` is null.
 */
export class Idempotency {
  readonly #contents: IdempotentContents;
  readonly #log: LogError;

  constructor(schema: GraphQLSchema, log: LogError) {
    this.#contents = new IdempotentContents(schema);
    this.#log = log;
  }

  plugin(): ApolloServerPlugin<GraphqlContext> {
    return {
      requestDidStart: async () => ({
        // Called after the authentication and all checks of the request.
        responseForOperation: (request) => this.begin(request),
        willSendResponse: (request) => this.end(request),
      }),
    };
  }

  /** Returns the response that is known before the execution: a kept one, or a refusal. Otherwise null. */
  async begin({ contextValue, document, operation, request }: Request): Promise<SingleResponse | null> {
    // Undefined, against its type, if the document does not have it.
    if (operation?.operation !== OperationTypeNode.MUTATION) return null;
    try {
      const headers = contextValue.request.readIdempotencyHeaders();
      if (headers === undefined) return null;
      const { callWithoutKey, state } = contextValue;
      const content = this.#contents.of({ document, operation, request });
      const keyed = await beginIdempotent(callWithoutKey, { ...headers, ...content });
      if (keyed.replay !== undefined) return replay(keyed.replay(), contextValue);
      state.firstRequest = keyed.first;
      return null;
    } catch (thrown) {
      return this.#rejection(thrown, contextValue);
    }
  }

  /** Keeps the response of an execution, or undoes its operations. */
  async end({ contextValue, response }: Executed): Promise<void> {
    const { body } = response;
    const { firstRequest } = contextValue.state;
    if (firstRequest === undefined || body.kind !== 'single') return;
    const { singleResult } = body;
    try {
      if (singleResult.errors !== undefined) {
        await firstRequest.undo();
        if (singleResult.data !== undefined) singleResult.data = null;
        return;
      }
      const json = resultJson(singleResult, (bytes) => contextValue.reserveMemory(bytes));
      if (typeof json !== 'string') throw json;
      await firstRequest.keep(json);
      body.singleResult = storedBody(json);
    } catch (thrown) {
      Object.assign(response, this.#rejection(thrown, contextValue));
    }
  }

  /** Returns the response for a request that is refused before it is executed, or whose operations are undone. */
  #rejection(thrown: unknown, { client }: GraphqlContext): SingleResponse {
    const error = toApiError(thrown);
    if (shouldLog(error)) this.#log(error, client.requestId);
    const errors = [graphqlError(error, client.requestId)];
    return { http: httpOf(error), body: { kind: 'single', singleResult: { errors } } };
  }
}

/** @param kept the body of the first response @throws UNAVAILABLE if the memory for it is not available */
function replay(kept: string, { request }: GraphqlContext): SingleResponse {
  const error = request.reserve(Buffer.byteLength(kept));
  if (error !== undefined) throw error;
  const headers = new HeaderMap([[REPLAYED_HEADER, 'true']]);
  return { http: { status: 200, headers }, body: { kind: 'single', singleResult: storedBody(kept) } };
}
