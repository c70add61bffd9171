import type { FastifyInstance } from 'fastify';
import { ApiError } from '../model/errors.ts';
import { authenticatedPrincipal } from './authorization.ts';

/**
 * Refuses a POST of an API with `If-Match`: no path of POST has a representation, so that nothing can match. Its other
 * conditions hold, or are none of a POST. Source: RFC 9110, section 13.1.1.
 */
export function addPreconditions(app: FastifyInstance): void {
  app.addHook('preHandler', (request, _reply, done) => {
    const hasCondition = request.method === 'POST' && request.headers['if-match'] !== undefined;
    // What is refused without the condition is refused for its own reason.
    const isRefused = hasCondition && authenticatedPrincipal(request) !== undefined;
    done(isRefused ? new ApiError('ETAG_MISMATCH') : undefined);
  });
}
