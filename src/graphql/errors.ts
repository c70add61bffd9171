import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { ApiError, type FieldViolation, internal, invalidFields, type Status } from '../model/api-error.ts';
import { withoutValue } from './variables.ts';

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

/** The whole answer to a request that did not get as far as GraphQL. */
export function graphqlErrorBody(error: ApiError, requestId: string): string {
  return JSON.stringify({ errors: [graphqlError(error, requestId)] });
}

/**
 * Shapes an error that Apollo Server is about to send.
 *
 * Three kinds come here: our own, which are shown; those in which Apollo or
 * graphql-js refuse what the client sent, which are shown and get our fields; and
 * all others, which are masked.
 *
 * @param variableViolation finds the field of a variable that an error refuses
 * @param log is given what is the gateway's own fault
 */
export function formatGraphqlError(
  formatted: GraphQLFormattedError,
  thrown: unknown,
  requestId: string,
  variableViolation: (thrown: unknown) => FieldViolation | undefined,
  log: (error: ApiError) => void,
): GraphQLFormattedError {
  const place = {
    ...(formatted.locations && { locations: formatted.locations }),
    ...(formatted.path && { path: formatted.path }),
  };
  const cause = thrown instanceof GraphQLError ? (thrown.originalError ?? thrown) : thrown;
  if (cause instanceof ApiError) {
    if (cause.status === 'INTERNAL' || cause.status === 'UNAVAILABLE') log(cause);
    return { ...graphqlError(cause, requestId), ...place };
  }
  const code = refusalCode(formatted, thrown, cause);
  if (code === undefined) {
    const masked = internal(cause);
    log(masked);
    return { ...graphqlError(masked, requestId), ...place };
  }
  // Other errors may be about a variable, too, but not about its value.
  const violation = code === CODES.INVALID_ARGUMENT ? variableViolation(thrown) : undefined;
  return {
    message: violation ? invalidFields([violation]).message : withoutValue(formatted.message),
    ...place,
    extensions: {
      code,
      status: 'INVALID_ARGUMENT',
      reason: violation ? 'INVALID_FIELD' : code,
      ...(violation && { fieldViolations: [violation] }),
      requestId,
    },
  };
}

/** The code of an error in which the request itself is refused, or undefined if it is another kind. */
function refusalCode(formatted: GraphQLFormattedError, thrown: unknown, cause: unknown): string | undefined {
  const code = formatted.extensions?.['code'];
  if (typeof code === 'string' && code !== CODES.INTERNAL) return code;
  // Apollo gives some refusals of a persisted query a status, but no code.
  const http = thrown instanceof GraphQLError ? thrown.extensions['http'] : undefined;
  if (typeof http === 'object' && http !== null && 'status' in http && http.status === 400)
    return 'BAD_REQUEST';
  // graphql-js finds only while executing that a variable of null stands where null may not.
  if (cause instanceof GraphQLError && cause.message.startsWith('Argument "')) return CODES.INVALID_ARGUMENT;
  return undefined;
}
