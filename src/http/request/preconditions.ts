import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../model/errors.ts';
import { requestNotes } from './request-notes.ts';

/**
 * A hook that refuses a POST with `If-Match`: no path of POST has a representation, so nothing can match. Its other
 * conditions hold, or are none of a POST. Source: RFC 9110, section 13.1.1.
 */
export function refuseIfMatch(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const hasCondition = request.method === 'POST' && request.headers['if-match'] !== undefined;
  // A request that is refused without the condition is refused for its own reason.
  const isRefused = hasCondition && requestNotes(request).principal !== undefined;
  done(isRefused ? new ApiError('ETAG_MISMATCH') : undefined);
}
