import { parseFields, title as titleValidator } from '../../model/fields/fields.ts';
import type { Ulid } from '../../model/resource-name.ts';
import { keysOfBeginning } from '../../model/title-key.ts';
import type { KeysetList, ListRow } from '../../storage/sql/keyset-list.ts';

/** The list of all rows of an account, and that of the rows by title. */
type TitledLists<R extends ListRow> = { readonly all: KeysetList<R>; readonly byTitle: KeysetList<R> };

/**
 * Returns the source of the items of an account: all, or those whose titles have a beginning.
 *
 * @param beginning undefined or null for all
 * @throws INVALID_ARGUMENT for `title` if the beginning is no title
 */
export function ofAccount<R extends ListRow>(
  { all, byTitle }: TitledLists<R>,
  accountId: Ulid,
  beginning: unknown,
) {
  if (beginning == null) return { list: all, values: [accountId] };
  const { title } = parseFields({ title: beginning }, { title: titleValidator });
  const keys = keysOfBeginning(title);
  return { list: byTitle, values: [accountId, ...keys], filter: `title ${keys[0]}` };
}
