import { readDuration } from '../config.ts';
import { listAuditEvents } from '../data/list-audit-events.ts';
import { listCommand } from './list-command.ts';
import { auditEventView } from './views.ts';

const DURATION = /^\d+[smhd]$/;

export const auditList = listCommand({
  name: 'audit list',
  summary: 'Lists the audit events of an account or of all accounts, the newest first.',
  plural: 'events',
  filters: {
    account: { value: '<name>', description: 'Only events of the account, accounts/<ULID>.' },
    since: { value: '<time>', description: 'Only events since then: 24h, or 2026-01-31T12:00:00Z.' },
    until: { value: '<time>', description: 'Only events before then: 24h, or 2026-01-31T12:00:00Z.' },
    resource: { value: '<name>', description: 'Only events of the resource, such as wallets/<ULID>.' },
    action: { value: '<action>', description: 'Only events with the action, such as wallet.update.' },
  },
  read: (dependencies, input) => {
    const timeOf = (option: 'since' | 'until') => {
      const time = input[option];
      const isAge = typeof time === 'string' && DURATION.test(time);
      return isAge ? timeBefore(dependencies.clock(), option, time) : time;
    };
    return listAuditEvents(dependencies, 'operator', {
      ...input,
      since: timeOf('since'),
      until: timeOf('until'),
    });
  },
  view: auditEventView,
  columns: (event) => {
    const { time, action, resource, actor, credential, address, fields, count } = auditEventView(event);
    const times = count === 1 ? '' : `${count} times`;
    return [time, action, resource, credential || actor, address, fields.join(), times];
  },
});

function timeBefore(now: number, option: string, age: string): string {
  return new Date(now - readDuration(`--${option}`, age) * 1000).toISOString();
}
