import type { ApiError } from '../model/api-error.ts';

const DOMAIN = 'paw-gateway';

/** What a REST client is shown of an `ApiError`. Source: AIP-193. */
export function restErrorBody(error: ApiError, requestId: string): string {
  const { httpStatus: code, message, status, reason, fieldViolations } = error;
  const errorInfo = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: DOMAIN,
    metadata: { requestId },
  };
  const badRequest = { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations };
  const details = fieldViolations.length > 0 ? [errorInfo, badRequest] : [errorInfo];
  return JSON.stringify({ error: { code, message, status, details } });
}
