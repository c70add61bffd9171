import type { TableCounts } from '../../storage/tables/tables.ts';

const LIST = new Intl.ListFormat('en-GB');

/** Returns a number with its noun, such as `1 token` or `2 tokens`. @param noun the plural */
export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun.replace(/(?<=ss)es$|s$/, '') : noun}`;
}

/** Returns the numbers of rows by plural, without the tables that operators do not know. */
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

/** Returns the numbers of rows, such as `1 account, 3 projects and 0 apps`. @param counts by plural */
export function countedRows(counts: Readonly<Record<string, number>>): string {
  return LIST.format(Object.entries(counts).map(([noun, count]) => counted(count, noun)));
}
