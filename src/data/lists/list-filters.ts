import { invalidFields } from '../../model/errors.ts';
import { parseFields, reference, title } from '../../model/fields/fields.ts';
import type { FilteredArguments } from '../../model/lists/list-page.ts';
import type { Ulid } from '../../model/resource-name.ts';
import { keysOfBeginning } from '../../model/title-key.ts';
import type { Value } from '../../storage/interface/database.ts';
import type { KeysetList, ListRow } from '../../storage/sql/keyset-list.ts';

/** The lists of all rows of an account, of the rows by title, and of the rows by reference if they have one. */
type FilteredLists<R extends ListRow> = {
  readonly all: KeysetList<R>;
  readonly byTitle: KeysetList<R>;
  readonly byReference?: KeysetList<R>;
};

/**
 * Returns the source of the items of an account: all, the ones whose titles start with a text, or the one with a
 * reference.
 *
 * @param filters undefined or null for all
 * @param others the values of the comparisons that the lists of all and by title have after the account
 * @throws INVALID_ARGUMENT for `title` or `reference` if it is none, or both are set
 */
export function ofAccount<R extends ListRow>(
  { all, byTitle, byReference = all }: FilteredLists<R>,
  accountId: Ulid,
  filters: Pick<FilteredArguments, 'title' | 'reference'>,
  others: readonly Value[] = [],
) {
  if (filters.reference != null) {
    if (filters.title != null)
      throw invalidFields([{ field: 'reference', description: 'Use either title or reference.' }]);
    const { reference: name } = parseFields(filters, { reference });
    return { list: byReference, values: [accountId, name], filter: `reference ${name}` };
  }
  if (filters.title == null) return { list: all, values: [accountId, ...others] };
  const keys = keysOfBeginning(parseFields(filters, { title }).title);
  return { list: byTitle, values: [accountId, ...others, ...keys], filter: `title ${keys[0]}` };
}
