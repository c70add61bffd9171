import { statusCodeOf } from '../http/http-error.ts';
import type { ApiError } from '../model/api-error.ts';

/** The domain of the reasons in `ErrorInfo`. */
export const DOMAIN = 'paw-gateway';

/** The type of the detail with the reason. Source: google/rpc/error_details.proto. */
export const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';

/** The type of the detail with the invalid fields. Source: google/rpc/error_details.proto. */
export const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest';

/**
 * Returns the body of an error response. Source: AIP-193.
 *
 * @param requestId the id of the request; omitted for errors of commands
 */
export function restErrorBody(error: ApiError, requestId?: string): string {
  const { message, status, reason, fieldViolations } = error;
  const errorInfo = {
    '@type': ERROR_INFO,
    reason,
    domain: DOMAIN,
    metadata: { ...(requestId && { requestId }) },
  };
  const badRequest = { '@type': BAD_REQUEST, fieldViolations };
  const details = fieldViolations.length > 0 ? [errorInfo, badRequest] : [errorInfo];
  return JSON.stringify({ error: { code: statusCodeOf(error), message, status, details } });
}
