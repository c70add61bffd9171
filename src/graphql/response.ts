import type { HTTPGraphQLHead } from '@apollo/server';
import type { FastifyReply } from 'fastify';
import {
  type ExecutionResult,
  type FormattedExecutionResult,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { type GraphqlOperation, type RequestFailure, requestNotes } from '../http/request/request-notes.ts';
import { ApiError, type Reason } from '../model/errors.ts';
import type { ExecutionState, GraphqlContext } from './context.ts';
import { failureOf, graphqlErrorBody } from './graphql-errors.ts';
import { responseStatus } from './over-http/media-type.ts';
import { resultJson } from './rules/response-size.ts';

/** The state of a request after its execution, by Apollo Server or as a repeated operation. */
export type Execution = {
  /** Undefined if the request was refused before its operation was known. */
  readonly operation: GraphqlOperation | undefined;
  readonly result: Result;
  /** The status and the headers that Apollo Server sets, or that replays and refusals have. */
  readonly head?: HTTPGraphQLHead;
};

type Result = ExecutionResult | FormattedExecutionResult;

const MAX_OPERATION_NAME_LENGTH = 100;

export function graphqlOperation(node: OperationDefinitionNode, isRepeated: boolean): GraphqlOperation {
  const name = node.name?.value.slice(0, MAX_OPERATION_NAME_LENGTH) ?? '';
  return { type: node.operation, name, isRepeated };
}

// No field of a result has this name.
const TEXT = Symbol('text');

/** Returns a result whose response is a known text, such as a kept one. Plugins replace another result with it. */
export function storedBody(text: string): FormattedExecutionResult {
  return { data: { [TEXT]: text } };
}

/** Records an executed request, and sets the head of its response. Returns the body. @throws the errors of `bodyOrRejection` */
export function respond(
  { operation, result, head }: Execution,
  context: GraphqlContext,
  mediaType: string,
  reply: FastifyReply,
): string {
  const notes = requestNotes(reply.request);
  if (operation !== undefined) notes.operation = operation;
  const { body, failure } = bodyOrRejection(result, context);
  if (failure !== undefined) notes.failure = failure;
  reply.type(`${mediaType}; charset=utf-8`);
  for (const [name, value] of head?.headers ?? []) {
    // Apollo Server lets caches keep the response to an unknown persisted query.
    if (name !== 'cache-control') reply.header(name, value);
  }
  reply.code(responseStatus(mediaType, head?.status ?? 200, body, failure?.reason));
  return body;
}

/**
 * Decides the response to an executed request. The first of these applies:
 *
 * 1. The token became invalid before the request changed anything: TOKEN_INVALID, for the whole request.
 * 2. The memory of all requests does not suffice, for the data or for the response: the refusal, for the whole request.
 *    Clients retry it: if a mutation may have changed something that is not undone, the error is RESULT_UNKNOWN instead.
 * 3. The text of the response is known, of a stored response: this text.
 * 4. The response would be too large: this error, which is the failure in the log, instead of the result.
 * 5. The result. Its first error is the failure in the log.
 *
 * @throws the errors of 1 and 2
 */
export function bodyOrRejection(
  result: Result,
  context: GraphqlContext,
): { body: string; failure: RequestFailure | undefined } {
  const { state } = context;
  if (isTokenEnded(result, state)) throw new ApiError('TOKEN_INVALID');
  const { data, errors } = result;
  const known = data && TEXT in data ? String(data[TEXT]) : undefined;
  const body = known ?? resultJson(result, (bytes) => context.reserveMemory(bytes));
  if (state.rejection !== undefined) {
    throw context.mayHaveChanged ? new ApiError('RESULT_UNKNOWN') : state.rejection;
  }
  if (typeof body === 'string') return { body, failure: errors?.[0] && failureOf(errors[0]) };
  return { body: graphqlErrorBody(body, context.client.requestId, null), failure: body };
}

/**
 * Returns whether the token of a request has ended between the authentication and the execution, which has changed
 * nothing. After a change, such as a sign-out in the same request, the client gets the result.
 */
function isTokenEnded({ data, errors }: Result, { operation, isSignedOut }: ExecutionState): boolean {
  if (errors === undefined || isSignedOut) return false;
  const reason: Reason = 'TOKEN_INVALID';
  if (!errors.some(({ path, extensions }) => path && extensions?.['reason'] === reason)) return false;
  if (operation?.operation !== OperationTypeNode.MUTATION) return true;
  const hasChanged =
    Object.values(data ?? {}).some((value) => value !== null) ||
    errors.some(({ path = [] }) => path.length > 1);
  return !hasChanged;
}
