import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { malformedRequest } from '../model/api-error.ts';

/** Makes JSON the one kind of body that is read. */
export function addJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parse(body as Buffer));
    } catch {
      done(malformedRequest('The body is not JSON in UTF-8.'));
    }
  });
}

function parse(body: Buffer): unknown {
  // Decoding would put U+FFFD for what is malformed, and so change what was sent.
  if (!isUtf8(body)) throw new SyntaxError('Malformed UTF-8.');
  return JSON.parse(body.toString());
}
