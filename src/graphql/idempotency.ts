import { type ApolloServerPlugin, type GraphQLResponse, HeaderMap } from '@apollo/server';
import { type GraphQLSchema, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { beginKeyed } from '../data/idempotency/begin-keyed.ts';
import { toApiError } from '../data/operation/errors.ts';
import { REPLAYED_HEADER } from '../http/idempotency-headers.ts';
import type { LogError } from '../http/log/error-log.ts';
import { shouldLog } from '../model/errors.ts';
import type { Context } from './context.ts';
import { graphqlError, httpOf } from './error-format.ts';
import { KeyedContents } from './keyed-contents.ts';
import type { OperationRequest } from './limits/request-checks.ts';
import { resultJson } from './limits/response-size.ts';
import { textResult } from './response.ts';

type Request = Pick<OperationRequest, 'contextValue' | 'document' | 'request'> & {
  readonly operation?: OperationDefinitionNode | undefined;
};

/** A response of Apollo Server that is not incremental. */
export type SingleResponse = GraphQLResponse & { body: { kind: 'single' } };

type Executed = { readonly contextValue: Context; readonly response: GraphQLResponse };

/**
 * Keeps the response to a request with mutations and an `Idempotency-Key` for a replay. The mutations of such a request are
 * one transaction: if one fails, none is applied, and `data` is null.
 */
export class Idempotency {
  readonly #contents: KeyedContents;
  readonly #log: LogError;

  constructor(schema: GraphQLSchema, log: LogError) {
    this.#contents = new KeyedContents(schema);
    this.#log = log;
  }

  plugin(): ApolloServerPlugin<Context> {
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
      const { ownCall, state } = contextValue;
      const content = this.#contents.of({ document, operation, request });
      const keyed = await beginKeyed(ownCall, { ...headers, ...content });
      if (keyed.replay !== undefined) return replay(keyed.replay(), contextValue);
      state.keyed = keyed.first;
      return null;
    } catch (thrown) {
      return this.#refusal(thrown, contextValue);
    }
  }

  /** Keeps the response of an execution, or undoes its operations. */
  async end({ contextValue, response }: Executed): Promise<void> {
    const { body } = response;
    const { keyed } = contextValue.state;
    if (keyed === undefined || body.kind !== 'single') return;
    const { singleResult } = body;
    try {
      if (singleResult.errors !== undefined) {
        await keyed.undo();
        if (singleResult.data !== undefined) singleResult.data = null;
        return;
      }
      const json = resultJson(singleResult, (bytes) => contextValue.claimMemory(bytes));
      if (typeof json !== 'string') throw json;
      await keyed.keep(json);
      body.singleResult = textResult(json);
    } catch (thrown) {
      Object.assign(response, this.#refusal(thrown, contextValue));
    }
  }

  /** Returns the response for a request that is refused before it is executed, or whose operations are undone. */
  #refusal(thrown: unknown, { client }: Context): SingleResponse {
    const error = toApiError(thrown);
    if (shouldLog(error)) this.#log(error, client.requestId);
    const errors = [graphqlError(error, client.requestId)];
    return { http: httpOf(error), body: { kind: 'single', singleResult: { errors } } };
  }
}

/** @param kept the body of the first response @throws UNAVAILABLE if the memory for it is not available */
function replay(kept: string, { request }: Context): SingleResponse {
  const error = request.claim(Buffer.byteLength(kept));
  if (error !== undefined) throw error;
  const headers = new HeaderMap([[REPLAYED_HEADER, 'true']]);
  return { http: { status: 200, headers }, body: { kind: 'single', singleResult: textResult(kept) } };
}
