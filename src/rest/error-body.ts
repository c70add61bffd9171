import { statusCodeOf } from '../http/http-error.ts';
import type { ApiError } from '../model/api-error.ts';

/** Who gives the reasons of our errors. */
export const DOMAIN = 'paw-gateway';

/** The types of what is in `details`. Source: google/rpc/error_details.proto. */
export const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';
export const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest';

/** What a REST client is shown of an `ApiError`. Source: AIP-193. */
export function restErrorBody(error: ApiError, requestId: string): string {
  const { message, status, reason, fieldViolations } = error;
  const errorInfo = { '@type': ERROR_INFO, reason, domain: DOMAIN, metadata: { requestId } };
  const badRequest = { '@type': BAD_REQUEST, fieldViolations };
  const details = fieldViolations.length > 0 ? [errorInfo, badRequest] : [errorInfo];
  return JSON.stringify({ error: { code: statusCodeOf(error), message, status, details } });
}
