import { invalidFields } from '../model/api-error.ts';

const MAX_LENGTH = 1000;

// Source: RFC 9110, section 8.8.3.
const ENTITY_TAG = String.raw`(?:W\/)?"[!#-~]{1,100}"`;
const LIST = new RegExp(`^${ENTITY_TAG}(?:[ \\t]*,[ \\t]*${ENTITY_TAG})*$`);

/**
 * Returns the strong entity tags in the header `If-Match`, without quotes, or undefined if it is missing or `*`. A weak one
 * never matches.
 *
 * @throws INVALID_ARGUMENT if the header is malformed
 */
export function entityTagsIn(header: string | undefined): readonly string[] | undefined {
  if (header === undefined || header === '*') return undefined;
  if (header.length > MAX_LENGTH || !LIST.test(header)) {
    const description = `Must be * or entity tags such as "r1", separated by commas, in at most ${MAX_LENGTH} characters.`;
    throw invalidFields([{ field: 'If-Match', description }]);
  }
  return Array.from(header.matchAll(/(W\/)?"([^"]+)"/g)).flatMap(([, weak, tag = '']) => (weak ? [] : [tag]));
}
