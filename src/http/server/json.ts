import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../model/errors.ts';
import { parseJson } from '../../model/fields/json.ts';
import { malformedRequest } from '../errors/error-responses.ts';
import { requestMemory } from '../limits/request-memory.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** The media types of the body of a PATCH, for the header `Accept-Patch`. Source: RFC 5789, section 3.1. */
export const PATCH_TYPES = 'application/json, application/merge-patch+json';

// Of an array of empty objects, whose values take the most.
const MEMORY_PER_BYTE = 24;

// Some editors and programs begin a text with it. A parser may ignore it. Source: RFC 8259, section 8.1.
const BYTE_ORDER_MARK = /^\uFEFF/;

/** Makes JSON the only accepted media type of request bodies, with a separate name for PATCH bodies. */
export function addJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(PATCH_TYPES.split(', '), { parseAs: 'buffer' }, (request, body, done) => {
    const isPatchType = request.mediaType !== 'application/json';
    if (isPatchType && request.method !== 'PATCH') return done(new ApiError('UNSUPPORTED_MEDIA_TYPE'));
    const refusal = requestMemory(request).reserve(MEMORY_PER_BYTE * body.length);
    if (refusal !== undefined) return done(refusal);
    // The decoder would replace malformed UTF-8 by U+FFFD, and thus change the value.
    const value = isUtf8(body as Buffer)
      ? parseJson(body.toString().replace(BYTE_ORDER_MARK, ''))
      : undefined;
    if (value === undefined) done(malformedRequest('The body is not valid JSON in UTF-8.'));
    else done(null, value);
  });
}
