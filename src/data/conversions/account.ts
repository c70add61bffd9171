import type { Account } from '../../model/account.ts';
import { resourceName } from '../../model/resource-name.ts';
import type { AccountRow } from '../../storage/tables/accounts.ts';

export function accountFromRow(row: AccountRow): Account {
  return {
    name: resourceName('accounts', row.id),
    title: row.title,
    defaultProject: resourceName('projects', row.default_project_id),
    state: row.state,
    createTimeMs: row.create_time_ms,
  };
}
