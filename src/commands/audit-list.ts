import { listAuditEvents } from '../data/list-audit-events.ts';
import { optional, UsageError } from './command.ts';
import { durationOf } from './duration.ts';
import { listCommand } from './list-command.ts';
import { auditEventView } from './views.ts';

const TIME = /^\d{4}-/;

const DURATION = /^\d+[smhd]$/;

export const auditList = listCommand({
  name: 'audit list',
  summary: 'Lists the audit events of an account or of all accounts, the newest first.',
  plural: 'events',
  filters: {
    account: optional('<name>', 'Only events of the account, accounts/<ULID>.'),
    since: optional('<time>', 'Only events since then: 24h, or 2026-01-31T12:00:00Z.'),
    until: optional('<time>', 'Only events before then: 24h, or 2026-01-31T12:00:00Z.'),
    resource: optional('<name>', 'Only events of the resource, such as wallets/<ULID>.'),
    action: optional('<action>', 'Only events with the action, such as wallet.update.'),
  },
  read: (dependencies, input) => {
    const timeOf = (option: 'since' | 'until') => {
      const text = input[option];
      // The operation validates a time.
      if (typeof text !== 'string' || TIME.test(text)) return text;
      return timeBefore(dependencies.clock(), option, text);
    };
    return listAuditEvents(dependencies, 'operator', {
      ...input,
      since: timeOf('since'),
      until: timeOf('until'),
    });
  },
  view: auditEventView,
  columns: ({ time, action, resource, actor, credential, address, fields, count }) => {
    const times = count === 1 ? '' : `${count} times`;
    return [time, action, resource, credential || actor, address, fields.join(), times];
  },
});

function timeBefore(now: number, option: string, age: string): string {
  if (!DURATION.test(age)) {
    throw new UsageError(
      `--${option} must be a time such as 2026-01-31T12:00:00Z, or a duration such as 24h.`,
    );
  }
  return new Date(now - durationOf(option, age) * 1000).toISOString();
}
