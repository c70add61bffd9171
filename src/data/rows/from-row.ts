import { decodeTime } from 'ulid';
import type { Account } from '../../model/account.ts';
import type { App, AppKey } from '../../model/app.ts';
import type { AuditEvent } from '../../model/audit-event.ts';
import type { Principal } from '../../model/caller.ts';
import { coverImagePath, type Project } from '../../model/project.ts';
import { resourceName } from '../../model/resource-name.ts';
import type { Token } from '../../model/token.ts';
import type { Wallet } from '../../model/wallet.ts';
import type { AccountRow } from '../../storage/accounts.ts';
import type { AppRow } from '../../storage/apps.ts';
import type { AuditEventRow } from '../../storage/audit-events.ts';
import type { ProjectItem } from '../../storage/projects.ts';
import type { TokenRow } from '../../storage/tokens.ts';
import type { WalletRow } from '../../storage/wallets.ts';

export function accountFromRow(row: AccountRow): Account {
  return {
    name: resourceName('accounts', row.id),
    title: row.title,
    defaultProject: resourceName('projects', row.default_project_id),
    state: row.state,
    createTimeMs: row.create_time_ms,
  };
}

export function principalFromRow(row: TokenRow): Principal {
  return {
    accountId: row.account_id,
    tokenId: row.id,
    appId: row.app_id ?? undefined,
    projectId: row.project_id,
    isOneProject: row.is_one_project === 1,
    isReadOnly: row.is_read_only === 1,
  };
}

export function tokenFromRow(row: TokenRow): Token {
  return {
    id: row.id,
    level: row.app_id === null ? 'account' : 'project',
    account: resourceName('accounts', row.account_id),
    project: resourceName('projects', row.project_id),
    app: row.app_id === null ? undefined : resourceName('apps', row.app_id),
    title: row.title,
    readOnly: row.is_read_only === 1,
    onlyProject: row.is_one_project === 1,
    createTimeMs: decodeTime(row.id),
    expireTimeMs: row.expire_time_ms,
    lastUseTimeMs: row.last_use_time_ms ?? undefined,
  };
}

export function auditEventFromRow(row: AuditEventRow): AuditEvent {
  return {
    id: row.id,
    timeMs: decodeTime(row.id),
    lastTimeMs: row.last_time_ms,
    account: resourceName('accounts', row.account_id),
    action: row.action,
    resource: row.resource,
    actorTokenId: row.actor_token_id ?? undefined,
    tokenId: row.token_id ?? undefined,
    fields: row.fields === '' ? [] : row.fields.split(','),
    address: row.address ?? undefined,
    requestId: row.request_id ?? undefined,
    count: row.event_count,
  };
}

/** Converts a row to a project. @param publicUrl the public URL of the gateway, without a trailing slash */
export function projectFromRow(row: ProjectItem, publicUrl: string): Project {
  const name = resourceName('projects', row.id);
  return {
    id: name,
    name,
    title: row.title,
    description: row.description,
    imageCoverUrl: publicUrl + coverImagePath(name),
    imageCoverCid: row.image_cover_cid,
    createTimeMs: row.create_time_ms,
  };
}

/**
 * @param now the current time, in Unix milliseconds, for the end of the previous key
 * @param privateKey the private key, only in the results of `createApp` and `rotateAppKey`
 */
export function appFromRow(row: AppRow, now: number, privateKey = ''): App {
  const name = resourceName('apps', row.id);
  return {
    id: name,
    name,
    title: row.title,
    privateKey,
    active: row.active === 1,
    project: resourceName('projects', row.project_id),
    lastSignInTimeMs: row.last_sign_in_time_ms ?? undefined,
    keys: keysOf(row, now),
    createTimeMs: row.create_time_ms,
    etag: row.revision,
  };
}

function keysOf(
  { private_key_id: id, previous_key_id: previousId, previous_key_expire_time_ms: endMs }: AppRow,
  now: number,
): readonly AppKey[] {
  const key = { id, createTimeMs: decodeTime(id), expireTimeMs: undefined };
  if (previousId === null || endMs === null || endMs <= now) return [key];
  return [key, { id: previousId, createTimeMs: decodeTime(previousId), expireTimeMs: endMs }];
}

export function walletFromRow(row: WalletRow): Wallet {
  const name = resourceName('wallets', row.id);
  return {
    id: name,
    name,
    title: row.title,
    description: row.description,
    project: resourceName('projects', row.project_id),
    network: row.network,
    address: row.address,
    createTimeMs: row.create_time_ms,
    updateTimeMs: row.update_time_ms,
    etag: row.revision,
  };
}
