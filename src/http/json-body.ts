import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { type ApiError, malformedRequest } from '../model/api-error.ts';

/** Makes JSON the one kind of body that is read. */
export function addJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJson(body as Buffer));
    } catch (error) {
      done(error as ApiError);
    }
  });
}

/** Reads a body. @throws INVALID_ARGUMENT if it is not JSON */
export function parseJson(body: Buffer): unknown {
  try {
    // Decoding would put U+FFFD for what is malformed, and so change what was sent.
    if (isUtf8(body)) return JSON.parse(body.toString());
  } catch {
    // Said below.
  }
  throw malformedRequest('The body is not JSON in UTF-8.');
}
