import { AUDIT_EVENT_COLUMNS } from './audit-events.ts';

/** A table with the rows of accounts. */
export type Table = {
  readonly name: string;
  /** All columns. The rows expire if the table has the column `expire_time_ms`. */
  readonly columns: readonly string[];
  /** The columns of the primary key, of which the first names the account. */
  readonly key: readonly string[];
};

/** The tables with the rows of accounts. A table comes after those it refers to. */
export const TABLES = [
  {
    name: 'account',
    columns: ['id', 'title', 'default_project_id', 'project_count', 'state', 'create_time_ms'],
    key: ['id'],
  },
  {
    name: 'project',
    columns: ['account_id', 'id', 'title', 'description', 'image_cover_cid', 'create_time_ms'],
    key: ['account_id', 'id'],
  },
  {
    name: 'app',
    columns: [
      'account_id',
      'id',
      'project_id',
      'title',
      'private_key_id',
      'private_key_hash',
      'previous_key_id',
      'previous_key_hash',
      'previous_key_expire_time_ms',
      'active',
      'create_time_ms',
    ],
    key: ['account_id', 'id'],
  },
  {
    name: 'wallet',
    columns: [
      'account_id',
      'id',
      'project_id',
      'title',
      'description',
      'network',
      'address',
      'password_hash',
      'create_time_ms',
      'update_time_ms',
    ],
    key: ['account_id', 'id'],
  },
  { name: 'audit_event', columns: AUDIT_EVENT_COLUMNS, key: ['account_id', 'id'] },
  {
    name: 'idempotency_key',
    columns: ['account_id', 'principal_id', 'key_hash', 'content_hash', 'response', 'expire_time_ms'],
    key: ['account_id', 'principal_id', 'key_hash'],
  },
  {
    name: 'token',
    columns: ['account_id', 'id', 'app_id', 'app_key_id', 'value', 'expire_time_ms'],
    key: ['account_id', 'id'],
  },
] as const satisfies readonly Table[];

/** A number of rows of each table. */
export type TableCounts = Record<(typeof TABLES)[number]['name'], number>;

/** Returns zero for each table. */
export function noRows(): TableCounts {
  return { account: 0, project: 0, app: 0, wallet: 0, audit_event: 0, idempotency_key: 0, token: 0 };
}
