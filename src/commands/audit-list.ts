import { readDuration } from '../config.ts';
import { listAuditEvents } from '../data/list-audit-events.ts';
import { listCommand } from './list-command.ts';
import { auditEventView } from './views.ts';

const DURATION = /^\d+[smhd]$/;

export const auditList = listCommand({
  name: 'audit list',
  summary: 'Lists the audit events of an account or of all accounts, the oldest first.',
  plural: 'events',
  filters: {
    account: { value: '<name>', description: 'Only events of the account, accounts/<ULID>.' },
    since: { value: '<time>', description: 'Only events since then: 24h, or 2026-01-31T12:00:00Z.' },
    action: { value: '<action>', description: 'Only events with the action, such as wallet.update.' },
  },
  read: (admin, input) => {
    const since = input['since'];
    const isAge = typeof since === 'string' && DURATION.test(since);
    return listAuditEvents(admin, { ...input, since: isAge ? timeBefore(admin.clock(), since) : since });
  },
  view: auditEventView,
  columns: (event) => {
    const { time, action, resource, actor, credential, address, fields } = auditEventView(event);
    return [time, action, resource, credential || actor, address, fields.join()];
  },
});

function timeBefore(now: number, age: string): string {
  return new Date(now - readDuration('--since', age) * 1000).toISOString();
}
