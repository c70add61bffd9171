import type { AccountState } from '../../model/account.ts';
import type { Address } from '../../model/address.ts';
import type { AuditAction } from '../../model/audit-event.ts';
import type { Network } from '../../model/network.ts';
import type { ResourceName, Ulid } from '../../model/resource-name.ts';
import type { Value } from '../interface/database.ts';

/** The types of the columns that are read and inserted as rows. */
type Columns = {
  readonly account_id: Ulid;
  readonly id: Ulid;
  readonly project_id: Ulid;
  readonly default_project_id: Ulid;
  readonly title: string;
  readonly title_key: string;
  readonly description: string;
  readonly image_cover_cid: string;
  readonly project_count: number;
  readonly app_count: number;
  readonly state: AccountState;
  readonly active: 0 | 1;
  readonly private_key_id: string;
  readonly private_key_hash: string;
  readonly previous_key_id: string | null;
  readonly previous_key_hash: string | null;
  readonly previous_key_expire_time_ms: number | null;
  readonly network: Network;
  readonly password_hash: string;
  readonly address: Address;
  readonly address_count: number;
  readonly last_id: Ulid | '';
  readonly revision: Ulid;
  readonly action: AuditAction;
  readonly resource: ResourceName;
  readonly actor_token_id: Ulid | null;
  readonly token_id: Ulid | null;
  readonly fields: string;
  readonly request_id: string | null;
  readonly count_key: string | null;
  readonly event_count: number;
  readonly last_time_ms: number;
  readonly app_id: Ulid | null;
  readonly app_key_id: string | null;
  readonly maker_token_id: Ulid | null;
  readonly hash: string;
  readonly is_one_project: 0 | 1;
  readonly is_read_only: 0 | 1;
  readonly create_time_ms: number;
  readonly update_time_ms: number;
  readonly expire_time_ms: number;
  readonly last_use_time_ms: number | null;
  readonly last_sign_in_time_ms: number | null;
};

type Names<C extends string> = C extends `${infer First}, ${infer Others}` ? First | Names<Others> : C;

/** A row with the columns of a list, as in a SELECT. */
export type RowOf<C extends string> = Pick<Columns, Names<C> & keyof Columns>;

/** New values for columns, without the key of the title, which `changesIn` adds. Those with undefined are not changed. */
export type ChangesOf<C extends keyof Columns> = {
  readonly [Name in Exclude<C, 'title_key'>]: NonNullable<Columns[Name]> | undefined;
};

export const ACCOUNT_COLUMNS =
  'id, title, default_project_id, project_count, app_count, state, create_time_ms';

/** The columns of a project without the account, which is a parameter of every query, and without the key of its title. */
export const PROJECT_COLUMNS = 'id, title, description, image_cover_cid, create_time_ms';

/** The columns of a new app. The others have defaults until it signs in, is updated, or its key is replaced. */
export const NEW_APP_COLUMNS =
  'account_id, id, project_id, title, title_key, active, create_time_ms, private_key_id, private_key_hash, revision';

/** The columns of an app without the key of its title and the hashes of its keys. */
export const APP_COLUMNS =
  'account_id, id, project_id, title, active, create_time_ms, last_sign_in_time_ms, private_key_id, previous_key_id, previous_key_expire_time_ms, revision';

export const APP_KEY_HASHES = 'private_key_hash, previous_key_hash';

/** The columns of a wallet without the hash of the password and the key of the title. */
export const WALLET_COLUMNS =
  'account_id, id, project_id, title, description, network, address, create_time_ms, update_time_ms, revision';

/** All columns of an address that is left for a wallet. */
export const ADDRESS_COLUMNS = 'account_id, network, id, address';

export const ADDRESS_POOL_COLUMNS = 'account_id, network, address_count, last_id';

/** All columns of an audit event. The second one is what concurrent inserts wait for; see `ConnectionTurns`. */
export const AUDIT_EVENT_COLUMNS =
  'account_id, count_key, id, action, resource, actor_token_id, token_id, fields, address, request_id, event_count, last_time_ms';

export const IDEMPOTENCY_KEY_COLUMNS = 'account_id, key_hash, content_hash, response, expire_time_ms';

/** The columns of a token without its hash, and without the key with which its app signed in. */
export const TOKEN_COLUMNS =
  'account_id, id, project_id, app_id, maker_token_id, title, is_one_project, is_read_only, expire_time_ms, last_use_time_ms';

/** The columns of a new token. The other one is null until the token is used. */
export const NEW_TOKEN_COLUMNS =
  'account_id, id, project_id, app_id, app_key_id, maker_token_id, hash, title, is_one_project, is_read_only, expire_time_ms';

/**
 * Returns the expression of an index on ids with a prefix in the migrations, such as `'apps/' || id`. An engine uses the
 * index only for the same expression.
 */
export function prefixedId(prefix: string): string {
  return `'${prefix}' || id`;
}

export type Table = {
  readonly name: string;
  /** All columns. The rows expire if the table has the column `expire_time_ms`. */
  readonly columns: string;
  /** The columns of the primary key, of which the first names the account. */
  readonly key: readonly string[];
  /** The condition of the rows that other rows of the table refer to, which are copied first. */
  readonly first?: string;
};

const KEY = ['account_id', 'id'] as const;

export const PROJECT_TABLE = {
  name: 'project',
  columns: `account_id, ${PROJECT_COLUMNS}, title_key`,
  key: KEY,
} as const;

const APP_TABLE = { name: 'app', columns: `${APP_COLUMNS}, title_key, ${APP_KEY_HASHES}`, key: KEY } as const;

const WALLET_TABLE = {
  name: 'wallet',
  columns: `${WALLET_COLUMNS}, title_key, password_hash`,
  key: KEY,
} as const;

/** The columns that an update of a project can change: all but these. */
export const CHANGEABLE_PROJECT_COLUMNS = except(
  PROJECT_TABLE.columns,
  'account_id, id, image_cover_cid, create_time_ms',
);

export const CHANGEABLE_APP_COLUMNS = except(
  APP_TABLE.columns,
  `account_id, id, project_id, create_time_ms, last_sign_in_time_ms, private_key_id, previous_key_id, previous_key_expire_time_ms, revision, ${APP_KEY_HASHES}`,
);

/** The hash of the password is in the PHC string format. */
export const CHANGEABLE_WALLET_COLUMNS = except(
  WALLET_TABLE.columns,
  'account_id, id, address, create_time_ms, update_time_ms, revision',
);

export const ADDRESS_POOL_TABLE = {
  name: 'address_pool',
  columns: ADDRESS_POOL_COLUMNS,
  key: ['account_id', 'network'],
} as const;

export const ADDRESS_TABLE = {
  name: 'address',
  columns: ADDRESS_COLUMNS,
  key: ['account_id', 'network', 'id'],
} as const;

/** The tables with the rows of accounts. A table comes after those it refers to. */
export const TABLES = [
  { name: 'account', columns: ACCOUNT_COLUMNS, key: ['id'] },
  PROJECT_TABLE,
  APP_TABLE,
  WALLET_TABLE,
  ADDRESS_POOL_TABLE,
  ADDRESS_TABLE,
  { name: 'audit_event', columns: AUDIT_EVENT_COLUMNS, key: KEY },
  { name: 'idempotency_key', columns: IDEMPOTENCY_KEY_COLUMNS, key: ['account_id', 'key_hash'] },
  // A token that was made makes none itself.
  { name: 'token', columns: `${TOKEN_COLUMNS}, hash, app_key_id`, key: KEY, first: 'maker_token_id IS NULL' },
] as const satisfies readonly Table[];

/** A column of any of them. */
export type ColumnName = Names<(typeof TABLES)[number]['columns']>;

export type TableCounts = Record<(typeof TABLES)[number]['name'], number>;

export function noRows(): TableCounts {
  return Object.fromEntries(TABLES.map(({ name }) => [name, 0])) as TableCounts;
}

/** Returns the names in a list of columns that another list does not have. */
function except<C extends string, E extends string>(columns: C, others: E) {
  const excluded = columnNames(others);
  type Name = Exclude<Names<C>, Names<E>>;
  return columnNames(columns).filter((name): name is Name => !excluded.includes(name));
}

export function columnNames(columns: string): readonly string[] {
  return columns.split(', ');
}

/** Returns the values of a row in the order of columns, and null for those that it does not have. */
export function valuesOf(
  row: Readonly<Record<string, Value | undefined>>,
  columns: readonly string[],
): readonly Value[] {
  return columns.map((column) => row[column] ?? null);
}
