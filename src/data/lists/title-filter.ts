import { nullable, parseFields, title } from '../../model/fields/fields.ts';
import { keysOfBeginning } from '../../model/title-key.ts';

/**
 * Returns the filter of a list by the beginning of the title: the bounds of its keys, and what its page tokens have. Null and
 * undefined mean no filter.
 *
 * @throws INVALID_ARGUMENT for `title` if it is no title
 */
export function titleFilter(beginning: unknown) {
  const parsed = parseFields({ title: beginning }, { title: nullable(title) }).title;
  if (parsed === undefined) return undefined;
  const keys = keysOfBeginning(parsed);
  return { keys, filter: `title ${keys[0]}` };
}
