import { parseFields, resourceNameValidator } from '../model/fields.ts';
import type { Token } from '../model/token.ts';
import { listTokens as listTokenItems } from '../storage/tokens.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { tokenFromItem } from './from-row.ts';
import { type ListPage, readListPage } from './read-list-page.ts';
import { requireAccount } from './require-account.ts';

const VALIDATORS = { account: resourceNameValidator('accounts') };

/**
 * Returns one page of the valid tokens of an account and of its apps, in the order of their issue.
 *
 * @param input `account`, `page-size` and `page-token`
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function listTokens(
  { database, clock }: AdminContext,
  input: UntrustedInput,
): Promise<ListPage<Token>> {
  const { account } = parseFields(input, VALIDATORS);
  const { id: accountId } = await requireAccount(database, account);
  const now = clock();
  return readListPage(
    database,
    input,
    (after, limit) => listTokenItems(database, accountId, after, limit, now),
    tokenFromItem,
  );
}
