import type { Account } from '../../model/account.ts';
import { type App, appView } from '../../model/app.ts';
import type { AuditEvent } from '../../model/audit-event.ts';
import { type Project, projectView } from '../../model/project.ts';
import type { Token } from '../../model/token.ts';
import type { Wallet } from '../../model/wallet.ts';
import type { ExportedRecord } from '../../operator/export-account.ts';

export function accountView({ name, title, defaultProject, state, createTimeMs }: Account) {
  return { name, title, defaultProject, state, createTime: toTime(createTimeMs) };
}

/** Returns the fields of a token that the commands print. Those that it does not have are empty. */
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
    maker: token.makerTokenId ?? '',
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
  const { id, account, action, resource, actorTokenId, tokenId, fields, address, requestId } = event;
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
    actor: address === undefined ? 'operator' : actorTokenId === undefined ? 'client' : 'credential',
    credential: actorTokenId ?? '',
    address: address ?? '',
    requestId: requestId ?? '',
  };
}

/**
 * The fields that the export of `T` has to have: all but the secrets, the etag, which an import makes anew, and the id, which
 * is the name. Times have no suffix.
 */
type Exported<T> = { readonly type: string } & {
  readonly [F in Exclude<keyof T, 'id' | 'etag' | 'privateKey'> as F extends `${infer Name}Ms`
    ? Name
    : F]: unknown;
};

/** Returns the fields of a record of an export, without the fields for secrets. */
export function exportView(record: ExportedRecord): object {
  const { type } = record;
  switch (type) {
    case 'account':
      return { type, ...accountView(record.account) } satisfies Exported<Account>;
    case 'project':
      return {
        type,
        ...projectView(record.project),
        createTime: toTime(record.project.createTimeMs),
      } satisfies Exported<Project>;
    case 'app': {
      const { privateKey: _, ...app } = listedAppView(record.app);
      return {
        type,
        ...app,
        project: record.app.project,
        createTime: toTime(record.app.createTimeMs),
      } satisfies Exported<App>;
    }
    case 'wallet': {
      const { id: _, etag: __, createTimeMs, updateTimeMs, ...wallet } = record.wallet;
      return {
        type,
        ...wallet,
        createTime: toTime(createTimeMs),
        updateTime: toTime(updateTimeMs),
      } satisfies Exported<Wallet>;
    }
    case 'address': {
      const { network, address } = record.address;
      return { type, network, address };
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
