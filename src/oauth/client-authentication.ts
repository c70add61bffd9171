import type { AppCredentials } from '../data/sign-in.ts';
import { malformedRequest } from '../http/errors/error-responses.ts';
import { ApiError } from '../model/errors.ts';
import { parseResourceName } from '../model/resource-name.ts';
import type { Form } from './form.ts';

// Including without a space, and in the second of two headers, which Node joins by a comma: then it is malformed, and not
// another scheme, which is ignored.
const BASIC = /(?:^|,\s*)basic/i;

/**
 * Returns the credentials in a request, in HTTP Basic or in the body, or undefined if there are none. The id of the
 * client is the name of the app, or its ULID alone. Source: RFC 6749, section 2.3.1.
 *
 * @throws INVALID_ARGUMENT if there are credentials in both places
 * @throws UNAUTHENTICATED if the credentials are incomplete or malformed
 */
export function clientCredentials(
  authorization: string | undefined,
  { client_id: id, client_secret: secret }: Form,
): AppCredentials | undefined {
  if (authorization === undefined || !BASIC.test(authorization)) {
    return id || secret ? credentialsOf(id, secret) : undefined;
  }
  const [, basic] = /^basic +(\S+)$/i.exec(authorization) ?? [];
  const pair = Buffer.from(basic ?? '', 'base64');
  // The decoder takes other spellings as well. One spelling leaves nothing to another reader of the header.
  if (pair.toString('base64') !== basic) throw new ApiError('INVALID_CREDENTIALS');
  if (secret !== undefined) {
    throw malformedRequest('Send the credentials of the client in one place: the header or the body.');
  }
  const [, user, password] = /^([^:]*):(.*)/s.exec(pair.toString()) ?? [];
  const credentials = credentialsOf(formDecoded(user), formDecoded(password));
  if (id !== undefined && credentialsOf(id, credentials.privateKey).name !== credentials.name) {
    throw malformedRequest('The parameter client_id must name the client in the header.');
  }
  return credentials;
}

function credentialsOf(id = '', privateKey = ''): AppCredentials {
  const name = parseResourceName(['apps'], id.includes('/') ? id : `apps/${id}`);
  if (name === undefined || privateKey === '') throw new ApiError('INVALID_CREDENTIALS');
  return { name, privateKey };
}

/** Decodes a text in the encoding of a form. Returns undefined if it is malformed. */
function formDecoded(text = ''): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
