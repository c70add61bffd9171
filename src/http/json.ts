import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { malformedRequest } from './http-error.ts';

/** The media type of JSON responses. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Makes JSON the only accepted media type of request bodies. */
export function addJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    const value = parseJson(body as Buffer);
    if (value === undefined) done(malformedRequest('The body is not valid JSON in UTF-8.'));
    else done(null, value);
  });
}

/** Returns the value of a JSON text, or undefined if the text is not valid JSON in UTF-8. */
function parseJson(text: Buffer): unknown {
  // The decoder would replace malformed UTF-8 by U+FFFD, and thus change the value.
  if (!isUtf8(text)) return undefined;
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}
