import { parseFields, title } from '../../model/fields/fields.ts';
import type { Ulid } from '../../model/resource-name.ts';
import { keysOfBeginning } from '../../model/title-key.ts';
import type { KeysetList, ListRow } from '../../storage/sql/keyset-list.ts';

/**
 * Returns the source of the items of a list by title: the rows of an account whose titles have a beginning.
 *
 * @throws INVALID_ARGUMENT for `title` if it is no title
 */
export function byTitle<R extends ListRow>(list: KeysetList<R>, accountId: Ulid, beginning: unknown) {
  const keys = keysOfBeginning(parseFields({ title: beginning }, { title }).title);
  return { list, values: [accountId, ...keys], filter: `title ${keys[0]}` };
}
