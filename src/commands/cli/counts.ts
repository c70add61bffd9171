import type { TableCounts } from '../../storage/tables/tables.ts';

const LIST = new Intl.ListFormat('en-GB');

/** What is counted: the plural, and the singular. */
const NOUNS = {
  accounts: 'account',
  projects: 'project',
  apps: 'app',
  wallets: 'wallet',
  addresses: 'address',
  tokens: 'token',
  events: 'event',
  problems: 'problem',
  days: 'day',
  hours: 'hour',
  minutes: 'minute',
  seconds: 'second',
} as const;

type Noun = keyof typeof NOUNS;

/** Returns a number with its noun, such as `1 token` or `2 tokens`. */
export function counted(count: number, noun: Noun): string {
  return `${count} ${count === 1 ? NOUNS[noun] : noun}`;
}

/** Returns the numbers of rows by plural, without those of tables that operators do not know. */
export function byPlural({ account, project, app, wallet, address, token, audit_event }: TableCounts) {
  return {
    accounts: account,
    projects: project,
    apps: app,
    wallets: wallet,
    addresses: address,
    tokens: token,
    events: audit_event,
  };
}

/** Returns the numbers of rows by table, such as `1 account, 3 projects and 0 apps`. @param counts by plural */
export function countedRows(counts: Readonly<Partial<Record<Noun, number>>>): string {
  const nouns = Object.keys(NOUNS) as readonly Noun[];
  return LIST.format(
    nouns.flatMap((noun) => (counts[noun] === undefined ? [] : [counted(counts[noun], noun)])),
  );
}
