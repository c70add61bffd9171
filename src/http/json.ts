import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { parseJson } from '../model/json.ts';
import { malformedRequest } from './http-error.ts';
import { memoryOf } from './protection/request-memory.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

// Of an array of empty objects, whose values take the most.
const MEMORY_PER_BYTE = 24;

/** Makes JSON the only accepted media type of request bodies. */
export function addJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const refusal = memoryOf(request).claim(MEMORY_PER_BYTE * body.length);
    if (refusal !== undefined) return done(refusal);
    // The decoder would replace malformed UTF-8 by U+FFFD, and thus change the value.
    const value = isUtf8(body as Buffer) ? parseJson(body.toString()) : undefined;
    if (value === undefined) done(malformedRequest('The body is not valid JSON in UTF-8.'));
    else done(null, value);
  });
}
