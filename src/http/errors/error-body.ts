import type { ApiError } from '../../model/errors.ts';
import { statusCodeOf } from './error-responses.ts';

/**
 * Returns the body of an error, as in every response except GraphQL, and in the commands. Source: AIP-193.
 *
 * @param requestId the id of the request; omitted for errors of commands
 */
export function errorBody(apiError: ApiError, requestId?: string): string {
  const { message, status, reason, fieldViolations } = apiError;
  const errorInfo = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'paw-gateway',
    metadata: { ...(requestId && { requestId }) },
  };
  const badRequest = { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations };
  const details = fieldViolations.length > 0 ? [errorInfo, badRequest] : [errorInfo];
  return JSON.stringify({ error: { code: statusCodeOf(apiError), message, status, details } });
}
