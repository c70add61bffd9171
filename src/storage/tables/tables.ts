import type { ColumnOf, Table } from '../sql/columns.ts';
import { ACCOUNT_TABLE } from './accounts.ts';
import { ADDRESS_POOL_TABLE, ADDRESS_TABLE } from './addresses.ts';
import { APP_TABLE } from './apps.ts';
import { AUDIT_EVENT_TABLE } from './audit-events.ts';
import { IDEMPOTENCY_KEY_TABLE } from './idempotency-keys.ts';
import { PROJECT_TABLE } from './projects.ts';
import { TOKEN_TABLE } from './tokens.ts';
import { WALLET_TABLE } from './wallets.ts';

/** The tables with the rows of accounts. A table comes after those it refers to. */
export const TABLES = [
  ACCOUNT_TABLE,
  PROJECT_TABLE,
  APP_TABLE,
  WALLET_TABLE,
  ADDRESS_POOL_TABLE,
  ADDRESS_TABLE,
  AUDIT_EVENT_TABLE,
  IDEMPOTENCY_KEY_TABLE,
  TOKEN_TABLE,
] as const satisfies readonly Table[];

/** A column of any of them. */
export type ColumnName = ColumnOf<(typeof TABLES)[number]>;

export type TableCounts = Record<(typeof TABLES)[number]['name'], number>;

export function noRows(): TableCounts {
  return Object.fromEntries(TABLES.map(({ name }) => [name, 0])) as TableCounts;
}
