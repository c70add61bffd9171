import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import {
  type ApiError,
  type FieldViolation,
  invalidFields,
  type Status,
  shouldLog,
  toApiError,
} from '../model/api-error.ts';
import { isValueNode, valueViolation } from './input-violations.ts';
import { MAX_DOCUMENT_TOKENS } from './limits.ts';

/** The codes that Apollo's clients know, by the canonical names. */
const CODES: Record<Status, string> = {
  INVALID_ARGUMENT: 'BAD_USER_INPUT',
  UNAUTHENTICATED: 'UNAUTHENTICATED',
  PERMISSION_DENIED: 'FORBIDDEN',
  NOT_FOUND: 'NOT_FOUND',
  UNIMPLEMENTED: 'BAD_REQUEST',
  RESOURCE_EXHAUSTED: 'RATE_LIMITED',
  UNAVAILABLE: 'UNAVAILABLE',
  INTERNAL: 'INTERNAL_SERVER_ERROR',
};

/** What a GraphQL client is shown of an `ApiError`. */
export function graphqlError(error: ApiError, requestId: string): GraphQLFormattedError {
  return {
    message: error.message,
    extensions: {
      code: CODES[error.status],
      status: error.status,
      reason: error.reason,
      ...(error.fieldViolations.length > 0 && { fieldViolations: error.fieldViolations }),
      requestId,
    },
  };
}

/** The response to a request that was refused before it was executed. */
export function graphqlErrorBody(error: ApiError, requestId: string): string {
  return JSON.stringify({ errors: [graphqlError(error, requestId)] });
}

/** The response to an operation that was executed, and whose result can't be sent. */
export function graphqlErrorResult(error: ApiError, requestId: string): string {
  return JSON.stringify({ errors: [graphqlError(error, requestId)], data: null });
}

/**
 * Shapes an error that Apollo Server is about to send.
 *
 * Three kinds come here: our own, which are shown; those in which Apollo Server or
 * graphql-js refuses the request, which are shown and get our fields; and all others,
 * which are masked.
 *
 * @param log is given what is the gateway's own fault
 */
export function formatGraphqlError(
  formatted: GraphQLFormattedError,
  thrown: unknown,
  requestId: string,
  log: (error: ApiError) => void,
): GraphQLFormattedError {
  const place = {
    ...(formatted.locations && { locations: formatted.locations }),
    ...(formatted.path && { path: formatted.path }),
  };
  const cause = thrown instanceof GraphQLError ? (thrown.originalError ?? thrown) : thrown;
  const code = cause instanceof GraphQLError ? refusalCode(formatted, thrown as GraphQLError) : undefined;
  if (code === undefined) {
    const error = toApiError(cause);
    if (shouldLog(error)) log(error);
    return { ...graphqlError(error, requestId), ...place };
  }
  const { message, reason = code, fieldViolations } = refusal(code, thrown as GraphQLError);
  return {
    message,
    ...place,
    extensions: {
      code,
      status: 'INVALID_ARGUMENT',
      reason,
      ...(fieldViolations && { fieldViolations }),
      requestId,
    },
  };
}

/** The code of an error in which the request itself is refused, or undefined if it is another kind. */
function refusalCode(formatted: GraphQLFormattedError, thrown: GraphQLError): string | undefined {
  const code = formatted.extensions?.['code'];
  if (typeof code === 'string' && code !== CODES.INTERNAL) return code;
  // Apollo Server gives some refusals of a persisted query a status, but no code.
  const { http } = thrown.extensions as { readonly http?: { readonly status?: number } };
  if (http?.status === 400) return 'BAD_REQUEST';
  // graphql-js finds only while executing that a variable is null where null may not be.
  const [node] = thrown.nodes ?? [];
  return node && isValueNode(node) ? CODES.INVALID_ARGUMENT : undefined;
}

type Refusal = {
  readonly message: string;
  readonly reason?: string;
  readonly fieldViolations?: readonly FieldViolation[];
};

/**
 * What a client is told of its mistake. Where the text of graphql-js could repeat a value,
 * such as a password, we have a sentence of our own.
 */
function refusal(code: string, error: GraphQLError): Refusal {
  if (code === PARSE_FAILED) return { message: syntaxError(error) };
  const [node] = error.nodes ?? [];
  const isValidation = code === VALIDATION_FAILED;
  if (node && isValueNode(node) && !(isValidation && node.kind === Kind.VARIABLE)) {
    const violation = valueViolation(node);
    const { message, reason, fieldViolations } = invalidFields([violation]);
    return { message, fieldViolations, ...(!isValidation && { reason }) };
  }
  if (code === CODES.INVALID_ARGUMENT) return { message: 'A variable does not fit its type.' };
  // It holds the names that the client has chosen, and each may be as long as the document.
  const { message } = error;
  return { message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message };
}

const PARSE_FAILED = 'GRAPHQL_PARSE_FAILED';

const VALIDATION_FAILED = 'GRAPHQL_VALIDATION_FAILED';

const MAX_MESSAGE = 500;

function syntaxError({ message, source, positions, locations }: GraphQLError): string {
  if (/ tokens\b/.test(message) && !message.includes('"')) {
    return `A document may have at most ${MAX_DOCUMENT_TOKENS} tokens.`;
  }
  const [{ line, column } = { line: 1, column: 1 }] = locations ?? [];
  const found = source?.body.slice(positions?.[0]).charAt(0);
  // A punctuator is no part of a value.
  const unexpected = found
    ? /[!$&()=:@[\]{|}]/.test(found)
      ? `"${found}"`
      : undefined
    : 'end of the document';
  const hint = unexpected === undefined ? '' : `: unexpected ${unexpected}`;
  return `Syntax error at line ${line}, column ${column}${hint}.`;
}
