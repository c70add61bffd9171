import type { IncomingHttpHeaders } from 'node:http';
import { invalidFields } from '../model/errors.ts';

const MAX_LENGTH = 1000;

// Source: RFC 9110, section 8.8.3.
const ENTITY_TAG = /(W\/)?"([!#-~]{0,100})"/g;

/**
 * Returns the conditions in the headers of an update, as the input of the operation. Those with dates are ignored, because no
 * response has a modification date. Source: RFC 9110, section 13.
 *
 * @throws INVALID_ARGUMENT if a list of entity tags is malformed
 */
export function preconditionsIn(headers: IncomingHttpHeaders) {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  return {
    // A weak tag never matches, and neither does an empty one.
    ifMatch: match === '*' ? undefined : entityTagsIn('If-Match', match, { weak: false }),
    ifNoneMatch: noneMatch === '*' ? '*' : entityTagsIn('If-None-Match', noneMatch, { weak: true }),
  };
}

/**
 * Returns the entity tags in a header that are not empty, without quotes, or undefined if it is missing.
 *
 * @param allowed whether weak ones are returned, too
 */
function entityTagsIn(
  field: string,
  header: string | undefined,
  allowed: { readonly weak: boolean },
): readonly string[] | undefined {
  if (header === undefined) return undefined;
  const tags = header.length > MAX_LENGTH ? [] : [...header.matchAll(ENTITY_TAG)];
  // Empty elements of a list are ignored. Source: RFC 9110, section 5.6.1.2.
  const others = header.replaceAll(ENTITY_TAG, '""').split(',');
  if (tags.length === 0 || others.some((each) => !['', '""'].includes(each.trim()))) {
    const description = `Must be * or entity tags such as "a", separated by commas, in at most ${MAX_LENGTH} characters.`;
    throw invalidFields([{ field, description }]);
  }
  return tags.flatMap(([, weak, tag]) => (tag && (allowed.weak || !weak) ? tag : []));
}
