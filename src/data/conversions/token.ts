import { decodeTime } from 'ulid';
import type { Principal } from '../../model/caller.ts';
import { resourceName } from '../../model/resource-name.ts';
import type { Token } from '../../model/token.ts';
import type { TokenRow } from '../../storage/tables/tokens.ts';

export function principalFromRow(row: TokenRow): Principal {
  return {
    accountId: row.account_id,
    tokenId: row.id,
    appId: row.app_id ?? undefined,
    makerTokenId: row.maker_token_id ?? undefined,
    projectId: row.project_id,
    // A project token has access to its project only, regardless of the column.
    isOneProject: row.app_id !== null || row.is_one_project === 1,
    isReadOnly: row.is_read_only === 1,
    title: row.title,
  };
}

export function tokenFromRow(row: TokenRow): Token {
  return {
    id: row.id,
    level: row.app_id === null ? 'account' : 'project',
    account: resourceName('accounts', row.account_id),
    project: resourceName('projects', row.project_id),
    app: row.app_id === null ? undefined : resourceName('apps', row.app_id),
    makerTokenId: row.maker_token_id ?? undefined,
    title: row.title,
    readOnly: row.is_read_only === 1,
    onlyProject: row.is_one_project === 1,
    createTimeMs: decodeTime(row.id),
    expireTimeMs: row.expire_time_ms,
    lastUseTimeMs: row.last_use_time_ms ?? undefined,
  };
}
