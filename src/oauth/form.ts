import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { malformedRequest } from '../http/errors/error-responses.ts';
import { ApiError } from '../model/errors.ts';

const PARAMETERS = ['client_id', 'client_secret', 'grant_type', 'resource', 'scope', 'token'] as const;

// Far more than the parameters take. A client without a token could otherwise send 50,000 parameters, whose parsing takes
// 40 ms.
const MAX_FORM_BYTES = 4096;

/**
 * The parameters of a request. Others are ignored, and one without a value is omitted. Source: RFC 6749, section 3.2.
 */
export type Form = { readonly [Name in (typeof PARAMETERS)[number]]?: string };

/** Makes a form the only accepted media type of request bodies. */
export function addFormBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    async (_request: unknown, body: Buffer) => parseForm(body),
  );
  app.addContentTypeParser('*', async () => {
    const message = 'The body must be a form, sent with "Content-Type: application/x-www-form-urlencoded".';
    throw malformedRequest(message);
  });
}

/** @throws INVALID_ARGUMENT if the body is too long or not valid UTF-8, or has a parameter twice */
function parseForm(body: Buffer): Form {
  if (body.length > MAX_FORM_BYTES) {
    throw malformedRequest(`The form may have at most ${MAX_FORM_BYTES} bytes.`, 413);
  }
  if (!isUtf8(body)) throw malformedRequest('The body is not valid UTF-8.');
  const values = new URLSearchParams(body.toString());
  const form: Partial<Record<keyof Form, string>> = {};
  for (const name of PARAMETERS) {
    const [value, ...others] = values.getAll(name);
    if (others.length > 0) {
      // Source: RFC 8707, section 2: several resources would be allowed. A token is for all of them, so one suffices.
      if (name === 'resource') throw new ApiError('INVALID_TARGET');
      throw malformedRequest(`The parameter ${name} must not be repeated.`);
    }
    if (value) form[name] = value;
  }
  return form;
}
