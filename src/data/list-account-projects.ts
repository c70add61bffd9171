import { parseFields, resourceNameValidator } from '../model/fields.ts';
import type { Project } from '../model/project.ts';
import { listProjects } from '../storage/projects.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { projectFromRow } from './from-row.ts';
import { type ListPage, readListPage } from './read-list-page.ts';
import { requireAccount } from './require-account.ts';

const VALIDATORS = { account: resourceNameValidator('accounts') };

/**
 * Returns one page of the projects of an account, in the order of their names.
 *
 * @param input `account`, `page-size` and `page-token`
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function listAccountProjects(
  { database, publicUrl }: AdminContext,
  input: UntrustedInput,
): Promise<ListPage<Project>> {
  const { account } = parseFields(input, VALIDATORS);
  const { id: accountId } = await requireAccount(database, account);
  return readListPage(
    database,
    input,
    (after, limit) => listProjects(database, accountId, after, limit),
    (row) => projectFromRow(row, publicUrl()),
  );
}
