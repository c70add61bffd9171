import { decodeTime } from 'ulid';
import type { AuditEvent } from '../../model/audit-event.ts';
import { resourceName } from '../../model/resource-name.ts';
import type { AuditEventRow } from '../../storage/tables/audit-events.ts';

export function auditEventFromRow(row: AuditEventRow): AuditEvent {
  return {
    id: row.id,
    timeMs: decodeTime(row.id),
    lastTimeMs: row.last_time_ms,
    account: resourceName('accounts', row.account_id),
    action: row.action,
    resource: row.resource,
    actorTokenId: row.actor_token_id ?? undefined,
    app: row.actor_app_id === null ? undefined : resourceName('apps', row.actor_app_id),
    actorTitle: row.actor_title ?? undefined,
    tokenId: row.token_id ?? undefined,
    fields: row.fields === '' ? [] : row.fields.split(','),
    address: row.address ?? undefined,
    requestId: row.request_id ?? undefined,
    count: row.event_count,
  };
}
