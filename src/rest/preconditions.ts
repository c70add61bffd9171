import { invalidFields } from '../model/api-error.ts';

const MAX_LENGTH = 1000;

// Source: RFC 9110, section 8.8.3.
const ENTITY_TAG = /(W\/)?"([!#-~]{0,100})"/g;

/**
 * Returns the strong entity tags in the header `If-Match`, without quotes, or undefined if it is missing or `*`. A weak one
 * never matches, and neither does an empty one.
 *
 * @throws INVALID_ARGUMENT if the header is malformed
 */
export function entityTagsIn(header: string | undefined): readonly string[] | undefined {
  if (header === undefined || header === '*') return undefined;
  const tags = header.length > MAX_LENGTH ? [] : [...header.matchAll(ENTITY_TAG)];
  // Empty elements of a list are ignored. Source: RFC 9110, section 5.6.1.2.
  const others = header.replaceAll(ENTITY_TAG, '""').split(',');
  if (tags.length === 0 || others.some((each) => !['', '""'].includes(each.trim()))) {
    const description = `Must be * or entity tags such as "r1", separated by commas, in at most ${MAX_LENGTH} characters.`;
    throw invalidFields([{ field: 'If-Match', description }]);
  }
  return tags.flatMap(([, weak, tag = '']) => (weak || tag === '' ? [] : [tag]));
}
