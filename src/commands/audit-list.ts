import { listEvents } from '../data/events/list-events.ts';
import { actorOf } from '../model/audit-event.ts';
import { withAppTitles } from '../operator/app-titles.ts';
import { nameOption, optionalOption, UsageError } from './cli/command.ts';
import { durationOf } from './cli/duration.ts';
import { listCommand } from './cli/list-command.ts';
import { toMinute } from './cli/safe-output.ts';
import { auditEventView } from './cli/views.ts';

const TIME = /^\d{4}-/;

const DURATION = /^\d+[smhd]$/;

export const auditList = listCommand({
  synopsis: 'audit list',
  summary: 'Lists the audit events of an account or of all accounts, newest first.',
  plural: 'events',
  filters: {
    account: nameOption('accounts', 'Only events of the account, accounts/<ULID>.'),
    since: optionalOption('<time>', 'Only events since then: 24h, or 2026-01-31T12:00:00Z.'),
    until: optionalOption('<time>', 'Only events before then: 24h, or 2026-01-31T12:00:00Z.'),
    resource: optionalOption('<name>', 'Only events of the resource, such as wallets/<ULID>.'),
    action: optionalOption('<action>', 'Only events with the action, such as wallet.update.'),
  },
  read: async (operator, input) => {
    const timeOf = (option: string) => timeOrAge(operator.clock(), option, input[option]);
    const times = { since: timeOf('since'), until: timeOf('until') };
    return withAppTitles(operator, await listEvents(operator, { ...input, ...times }));
  },
  view: ({ appTitle, ...event }) => ({ ...auditEventView(event), by: actorOf(event, appTitle) }),
  columns: ({ time, by, action, resource, ...event }, isWide) => ({
    time: isWide ? time : toMinute(time),
    by,
    action,
    resource,
    ...(isWide && {
      credential: event.credential,
      address: event.address,
      fields: event.fields.join(),
      times: `${event.count}`,
      'last time': event.lastTime,
    }),
  }),
});

/** Returns the time of an option, whose value can be an age. The operation validates a time. */
function timeOrAge(now: number, option: string, value: unknown): unknown {
  if (typeof value !== 'string' || TIME.test(value)) return value;
  if (!DURATION.test(value)) {
    throw new UsageError(
      `--${option} must be a time such as 2026-01-31T12:00:00Z, or a duration such as 24h.`,
    );
  }
  return new Date(now - durationOf(option, value) * 1000).toISOString();
}
