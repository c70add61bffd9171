import { HeaderMap } from '@apollo/server';
import { type ASTNode, GraphQLError, type GraphQLFormattedError, isValueNode, Kind } from 'graphql';
import { toApiError } from '../data/call/to-api-error.ts';
import { headersOf, statusCodeOf } from '../http/errors/error-responses.ts';
import type { RequestFailure } from '../http/request/request-notes.ts';
import { ApiError, invalidFields, type Reason, type Status, shouldLog } from '../model/errors.ts';
import { describeAssignedField } from '../model/fields/fields.ts';
import { excessOfTokens } from './rules/document-limits.ts';
import type { InputViolations } from './rules/input-violations.ts';

/** Apollo's error codes, by canonical name. */
const CODES: Record<Status, string> = {
  INVALID_ARGUMENT: 'BAD_USER_INPUT',
  UNAUTHENTICATED: 'UNAUTHENTICATED',
  PERMISSION_DENIED: 'FORBIDDEN',
  NOT_FOUND: 'NOT_FOUND',
  ALREADY_EXISTS: 'CONFLICT',
  ABORTED: 'CONFLICT',
  FAILED_PRECONDITION: 'FAILED_PRECONDITION',
  UNIMPLEMENTED: 'BAD_REQUEST',
  RESOURCE_EXHAUSTED: 'RATE_LIMITED',
  UNAVAILABLE: 'UNAVAILABLE',
  INTERNAL: 'INTERNAL_SERVER_ERROR',
};

const CODES_BY_REASON: { readonly [R in Reason]?: string } = {
  // Clients sign out when a request is unauthenticated. A sign-in that fails says nothing about the token.
  INVALID_CREDENTIALS: 'INVALID_CREDENTIALS',
  DOCUMENT_TOO_LARGE: 'GRAPHQL_PARSE_FAILED',
};

// The error is logged and counted. JSON leaves out keys that are symbols.
const ERROR = Symbol('error');

export function graphqlError(error: ApiError, requestId: string): GraphQLFormattedError {
  return {
    message: error.message,
    extensions: {
      code: CODES_BY_REASON[error.reason] ?? CODES[error.status],
      status: error.status,
      reason: error.reason,
      ...(error.fieldViolations.length > 0 && { fieldViolations: error.fieldViolations }),
      ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
      requestId,
    },
    ...{ [ERROR]: error },
  };
}

/** Returns why a request failed, from the first error of its response. */
export function failureOf({ extensions, [ERROR]: error }: FirstError): RequestFailure {
  return error ?? { reason: String(extensions?.['reason']) };
}

type FirstError = Pick<GraphQLFormattedError, 'extensions'> & { readonly [ERROR]?: ApiError };

/** Returns the status and the headers of the response to a request that is rejected. */
export function httpOf(error: ApiError) {
  return { status: statusCodeOf(error), headers: new HeaderMap(Object.entries(headersOf(error))) };
}

/** Returns the error with which a plugin or a validation rule rejects a request. */
export function rejection(error: ApiError, nodes: readonly ASTNode[] = []): GraphQLError {
  return new GraphQLError(error.message, {
    nodes,
    originalError: error,
    extensions: { http: httpOf(error) },
  });
}

/** Returns the error with which a plugin rejects a document, like a validation rule. */
export function documentRejection(message: string): GraphQLError {
  const http = { status: 400, headers: new HeaderMap() };
  return new GraphQLError(message, { extensions: { code: VALIDATION_FAILED, http } });
}

/** Returns the body of a response with an error. @param data null if the operation was executed */
export function graphqlErrorBody(error: ApiError, requestId: string, data?: null): string {
  return JSON.stringify({ errors: [graphqlError(error, requestId)], data });
}

/** Returns an error of graphql-js with the properties that Apollo Server gives it before it is formatted. */
export function withCode(error: GraphQLError): GraphQLFormattedError {
  return { ...error.toJSON(), extensions: { code: CODES.INTERNAL, ...error.extensions } };
}

export type ResponseError = {
  readonly formatted: GraphQLFormattedError;
  readonly thrown: unknown;
  /** Whether the error comes after a change that is not undone. */
  readonly hasChanged: boolean;
  readonly requestId: string;
};

/**
 * Formats an error for Apollo Server's response.
 *
 * There are three kinds of errors: an `ApiError` is sent to the client; a request error from
 * Apollo Server or graphql-js is sent with the extensions of the gateway; all others are masked.
 */
export function formatGraphqlError(
  { formatted, thrown, hasChanged, requestId }: ResponseError,
  violations: InputViolations,
  log: (error: ApiError) => void,
): GraphQLFormattedError {
  const location = {
    ...(formatted.locations && { locations: formatted.locations }),
    ...(formatted.path && { path: formatted.path }),
  };
  const cause = causeOf(thrown);
  const code =
    cause instanceof GraphQLError ? requestErrorCode(formatted, thrown as GraphQLError) : undefined;
  if (code === undefined) {
    const original = toApiError(cause);
    // After UNAVAILABLE, clients retry.
    const { status, cause: origin, outage, resource } = original;
    const isUnknown = hasChanged && status === 'UNAVAILABLE';
    const error = isUnknown ? new ApiError('RESULT_UNKNOWN', { cause: origin, outage, resource }) : original;
    if (shouldLog(error)) log(error);
    return { ...graphqlError(error, requestId), ...location };
  }
  const { message, reason = code, fieldViolations } = requestError(code, thrown as GraphQLError, violations);
  return {
    message,
    ...location,
    extensions: {
      code,
      status: 'INVALID_ARGUMENT',
      reason,
      ...(fieldViolations && { fieldViolations }),
      requestId,
    },
  };
}

/** Returns the error that graphql-js has wrapped, or else the error itself. */
function causeOf(thrown: unknown): unknown {
  return thrown instanceof GraphQLError ? (thrown.originalError ?? thrown) : thrown;
}

function requestErrorCode(formatted: GraphQLFormattedError, thrown: GraphQLError): string | undefined {
  const code = formatted.extensions?.['code'];
  if (typeof code === 'string' && code !== CODES.INTERNAL) return code;
  // Some Apollo Server errors about persisted queries have a status, but no code.
  const { http } = thrown.extensions as { readonly http?: { readonly status?: number } };
  if (http?.status === 400) return 'BAD_REQUEST';
  // graphql-js detects a null variable at a non-null position only during execution.
  const [node] = thrown.nodes ?? [];
  return node && isValueNode(node) ? CODES.INVALID_ARGUMENT : undefined;
}

type RequestError = Pick<ApiError, 'message'> & Partial<Pick<ApiError, 'reason' | 'fieldViolations'>>;

/**
 * Returns the message and the violations of a request error. A message of graphql-js that can
 * contain a value of the request, such as a password, is replaced.
 */
function requestError(code: string, error: GraphQLError, violations: InputViolations): RequestError {
  if (code === PARSE_FAILED) {
    const message = excessOfTokens(error);
    return message === undefined
      ? { message: syntaxError(error) }
      : { message, reason: 'DOCUMENT_TOO_LARGE' };
  }
  const [node] = error.nodes ?? [];
  const isValidation = code === VALIDATION_FAILED;
  if (node && isValueNode(node) && !(isValidation && node.kind === Kind.VARIABLE)) {
    const { message, reason, fieldViolations } = invalidFields([violations.ofValue(node)]);
    return { message, fieldViolations, ...(!isValidation && { reason }) };
  }
  // A field that the input does not have.
  const assigned = node?.kind === Kind.OBJECT_FIELD ? describeAssignedField(node.name.value) : undefined;
  if (assigned !== undefined) return { message: assigned };
  if (code === CODES.INVALID_ARGUMENT) return { message: 'The value of a variable does not match its type.' };
  // The message contains names from the document, whose length only the size of the document limits.
  const { message } = error;
  const isNamed = node?.kind === Kind.FIELD || node?.kind === Kind.ARGUMENT;
  const hint = isNamed ? HINTS.get(node.name.value) : undefined;
  if (hint !== undefined) return { message: `${message} Use "${hint}".` };
  return { message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message };
}

/** The GraphQL names, by their REST names. */
const HINTS = new Map([
  ['pageSize', 'first'],
  ['pageToken', 'after'],
  ['nextPageToken', 'pageInfo { endCursor }'],
]);

const PARSE_FAILED = 'GRAPHQL_PARSE_FAILED';

const VALIDATION_FAILED = 'GRAPHQL_VALIDATION_FAILED';

const MAX_MESSAGE = 500;

function syntaxError({ source, positions, locations }: GraphQLError): string {
  const [{ line, column } = { line: 1, column: 1 }] = locations ?? [];
  const found = source?.body.slice(positions?.[0]).charAt(0);
  // Only a punctuator is quoted: other text can be part of a value.
  const unexpected = found
    ? /[!$&()=:@[\]{|}]/.test(found)
      ? `"${found}"`
      : undefined
    : 'end of the document';
  const hint = unexpected === undefined ? '' : `: unexpected ${unexpected}`;
  return `Syntax error at line ${line}, column ${column}${hint}.`;
}
