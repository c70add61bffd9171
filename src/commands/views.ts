import type { ExportedRecord } from '../data/export-account.ts';
import type { Account } from '../model/account.ts';
import { type App, appView } from '../model/app.ts';
import type { AuditEvent } from '../model/audit-event.ts';
import { projectView } from '../model/project.ts';
import type { Token } from '../model/token.ts';
import { walletView } from '../model/wallet.ts';

export function accountView({ name, title, defaultProject, state, createTimeMs }: Account) {
  return { name, title, defaultProject, state, createTime: toTime(createTimeMs) };
}

/** Returns the fields of a token that the commands print. `app` is empty for an account token, and `lastUseTime` for an unused one. */
export function tokenView(token: Token) {
  const { id, title, level, readOnly, account, project, onlyProject, lastUseTimeMs } = token;
  return {
    id,
    title,
    level,
    readOnly,
    account,
    project,
    onlyProject,
    app: token.app ?? '',
    createTime: toTime(token.createTimeMs),
    expireTime: toTime(token.expireTimeMs),
    lastUseTime: toTime(lastUseTimeMs),
  };
}

/** Returns the fields of an app in a list. Times that it does not have are empty. */
export function listedAppView(app: App) {
  const keys = app.keys.map(({ id, createTimeMs, expireTimeMs }) => {
    return { id, createTime: toTime(createTimeMs), expireTime: toTime(expireTimeMs) };
  });
  return { ...appView(app), lastSignInTime: toTime(app.lastSignInTimeMs), keys };
}

/** Returns the fields of an audit event that the commands print. Those that the event does not have are empty. */
export function auditEventView(event: AuditEvent) {
  const { id, account, action, resource, credentialId, tokenId, fields, address, requestId } = event;
  return {
    id,
    time: toTime(event.timeMs),
    lastTime: toTime(event.lastTimeMs),
    account,
    action,
    resource,
    token: tokenId ?? '',
    fields,
    count: event.count,
    // A sign-in by OAuth has no token.
    actor: address === undefined ? 'operator' : credentialId === undefined ? 'client' : 'credential',
    credential: credentialId ?? '',
    address: address ?? '',
    requestId: requestId ?? '',
  };
}

/** Returns the fields of a record of an export, without the fields for secrets. */
export function exportView(record: ExportedRecord): object {
  const { type } = record;
  switch (type) {
    case 'account':
      return { type, ...accountView(record.account) };
    case 'project':
      return { type, ...projectView(record.project), createTime: toTime(record.project.createTimeMs) };
    case 'app': {
      const { privateKey: _, ...app } = listedAppView(record.app);
      return { type, ...app, project: record.app.project, createTime: toTime(record.app.createTimeMs) };
    }
    case 'wallet': {
      const { password: _, ...wallet } = walletView(record.wallet);
      const { createTimeMs, updateTimeMs } = record.wallet;
      return { type, ...wallet, createTime: toTime(createTimeMs), updateTime: toTime(updateTimeMs) };
    }
    case 'token':
      return { type, ...tokenView(record.token) };
    case 'event':
      return { type, ...auditEventView(record.event) };
  }
}

/** Returns a time in ISO 8601, or an empty text if there is none. */
function toTime(timeMs: number | undefined): string {
  return timeMs === undefined ? '' : new Date(timeMs).toISOString();
}
