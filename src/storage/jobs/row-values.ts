import { parseAddress, ZERO_ADDRESS } from '../../model/address.ts';
import { AUDIT_ACTIONS } from '../../model/audit-event.ts';
import { description, reference, title, type Validator } from '../../model/fields/fields.ts';
import { NETWORKS } from '../../model/network.ts';
import { parseResourceName, parseUlid, resourceName, type Ulid } from '../../model/resource-name.ts';
import { titleKey } from '../../model/title-key.ts';
import type { Queryable, Row, Value } from '../interface/database.ts';
import { columnNames } from '../sql/columns.ts';
import { type ColumnName, TABLES, type TableCounts } from '../tables/tables.ts';
import { readRows } from './bulk-rows.ts';

type TableName = keyof TableCounts;

/** Returns whether operations can write a value, which is not null. The schema defines which columns can be null. */
type Check = (value: Value, row: Row, table: TableName) => boolean;

const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);

const isOneOf =
  (values: readonly Value[]): Check =>
  (value) =>
    values.includes(value);

const isId: Check = (value) => typeof value === 'string' && parseUlid(value) === value;

const isNumber: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;

// The last time of a `Date`, in milliseconds. Source: ECMA-262, Time Values and Time Range.
const MAX_TIME_MS = 8.64e15;

const isTime: Check = (value) => Number.isSafeInteger(value) && Math.abs(Number(value)) <= MAX_TIME_MS;

const isBoolean = isOneOf([0, 1]);

const isSha256 = matches(/^[0-9a-f]{64}$/);

// 22 characters of base64url; see the idempotency keys.
const isShortHash = matches(/^[\w-]{22}$/);

const isText =
  (validator: Validator<string>): Check =>
  (value) => {
    try {
      return validator(value) === value;
    } catch {
      return false;
    }
  };

// Empty for failures of a minute beyond those that are recorded one by one.
const isIpAddress = matches(/^([0-9A-Fa-f:.]{2,45}(\/\d{1,3})?|unknown)?$/);

const isWalletAddress: Check = (value) =>
  typeof value === 'string' && parseAddress(value) === value && value !== ZERO_ADDRESS;

const COLLECTIONS = ['accounts', 'projects', 'apps', 'wallets', 'tokens'] as const;

const CHECKS: Readonly<Record<Exclude<ColumnName, 'image_cover_cid'>, Check>> = {
  account_id: isId,
  id: isId,
  project_id: isId,
  default_project_id: isId,
  app_id: isId,
  app_key_id: isId,
  maker_token_id: isId,
  actor_token_id: isId,
  actor_app_id: isId,
  token_id: isId,
  private_key_id: isId,
  previous_key_id: isId,
  revision: isId,

  last_id: (value, ...row) => value === '' || isId(value, ...row),
  title: (value, row, table) => (table === 'token' && value === '') || isText(title)(value, row, table),
  actor_title: isText(title),
  title_key: (value, row) => typeof row['title'] === 'string' && value === titleKey(row['title']),
  description: isText(description),
  reference: isText(reference),
  project_count: isNumber,
  app_count: isNumber,
  address_count: isNumber,
  event_count: isNumber,
  state: isOneOf(['ACTIVE', 'SUSPENDED', 'DELETING', 'RESTORING']),
  active: isBoolean,
  archived: (value, { archive_time_ms: time }) => value === (time === null ? 0 : 1),
  is_one_project: isBoolean,
  is_read_only: isBoolean,
  private_key_hash: isSha256,
  previous_key_hash: isSha256,
  hash: isSha256,
  // The PHC string format.
  password_hash: matches(/^\$argon2id\$v=19\$m=\d{1,6},t=\d{1,2},p=\d{1,2}\$[\w+/]{16,64}\$[\w+/]{16,128}$/),
  network: isOneOf(NETWORKS),
  address: (value, row, table) =>
    (table === 'audit_event' ? isIpAddress : isWalletAddress)(value, row, table),
  action: isOneOf(AUDIT_ACTIONS),
  resource: (value) => typeof value === 'string' && parseResourceName(COLLECTIONS, value) === value,
  fields: matches(/^[A-Za-z_,]{0,200}$/),
  request_id: matches(/^[\w.:-]{1,100}$/),
  key_hash: isShortHash,
  content_hash: isShortHash,
  response: matches(/^[A-Za-z0-9+/]+={0,2}$/),
  create_time_ms: isTime,
  update_time_ms: isTime,
  archive_time_ms: isTime,
  expire_time_ms: isTime,
  last_use_time_ms: isTime,
  last_sign_in_time_ms: isTime,
  last_time_ms: isTime,
  previous_key_expire_time_ms: isTime,
};

/**
 * Finds the rows, of all accounts or of one, with values that no operation can have written. A database with the right schema
 * can have them if another program has written it.
 *
 * @param onRead is called with the number of rows of each batch
 * @returns a sentence about each
 */
export async function* findInvalidValues(
  database: Pick<Queryable, 'read'>,
  { accountId, onRead = () => {} }: { accountId?: Ulid | undefined; onRead?: (count: number) => void } = {},
): AsyncGenerator<string> {
  // Imported on demand, because few operations need it.
  const { coverImage, coverImageCid } = await import('../../model/cover-image.ts');
  const isCid: Check = (value, { id }) =>
    value === coverImageCid(coverImage(resourceName('projects', id as Ulid)));
  const checks = { ...CHECKS, image_cover_cid: isCid };
  for (const table of TABLES) {
    const names = columnNames(table.columns) as readonly ColumnName[];
    try {
      for await (const rows of readRows(database, table, accountId)) {
        for (const row of rows) {
          const wrong = names.filter((name) => {
            const value = row[name] ?? null;
            return value !== null && !checks[name](value, row, table.name);
          });
          if (wrong.length === 0) continue;
          const id = JSON.stringify(row[table.key.at(-1) ?? 'id'])?.slice(0, 40);
          yield `The row ${id} of ${table.name} has an invalid ${wrong.join(', ')}.`;
        }
        onRead(rows.length);
      }
    } catch (error) {
      // An integer that no number of JavaScript can be. The other rows of the table are not read.
      if (!Error.isError(error) || !('code' in error) || error.code !== 'ERR_OUT_OF_RANGE') throw error;
      yield `The table ${table.name} has a number that is too large.`;
    }
  }
}

/** @param subject what is checked, such as `The backup` @throws Error for the first row with an invalid value */
export async function assertValid(
  database: Pick<Queryable, 'read'>,
  subject: string,
  accountId?: Ulid,
): Promise<void> {
  for await (const problem of findInvalidValues(database, { accountId }))
    throw new Error(`${subject} can't be used. ${problem}`);
}
