import { statusCodeOf } from '../http/http-error.ts';
import type { ApiError } from '../model/api-error.ts';
import type { components } from './openapi-types.ts';

type BadRequest = components['schemas']['BadRequest'];

// An error of a command has no request.
type ErrorInfo = Omit<components['schemas']['ErrorInfo'], 'metadata'> & {
  metadata: { requestId?: string };
};

type ErrorFields = Omit<components['schemas']['ErrorResponse']['error'], 'details'> & {
  details: readonly (ErrorInfo | BadRequest)[];
};

/**
 * Returns the body of an error response. Source: AIP-193.
 *
 * @param requestId the id of the request; omitted for errors of commands
 */
export function restErrorBody(apiError: ApiError, requestId?: string): string {
  const { message, status, reason, fieldViolations } = apiError;
  const errorInfo: ErrorInfo = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'paw-gateway',
    metadata: { ...(requestId && { requestId }) },
  };
  const badRequest: BadRequest = {
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [...fieldViolations],
  };
  const details = fieldViolations.length > 0 ? [errorInfo, badRequest] : [errorInfo];
  const error: ErrorFields = { code: statusCodeOf(apiError), message, status, details };
  return JSON.stringify({ error });
}
