import type { DatabaseSync } from 'node:sqlite';
import { decodeTime } from 'ulid';
import { coverImage, coverImageCid } from '../../src/model/cover-image.ts';
import { resourceName, type Ulid } from '../../src/model/resource-name.ts';
import { titleKey } from '../../src/model/title-key.ts';
import type { Database, Queryable, Row, Value } from '../../src/storage/interface/database.ts';
import { insertRows } from '../../src/storage/jobs/bulk-rows.ts';
import type { TableCounts } from '../../src/storage/tables/tables.ts';
import type { Tenant } from './gateway.ts';
import { ulidOf } from './requests.ts';

type Reader = Pick<Database, 'read'>;
type Writer = Pick<Database, 'write'>;
type Columns = Readonly<Record<string, Value>>;

/** Returns all rows that an operation of a client could change. */
export async function contentsOf(database: Reader, nowMs: number): Promise<readonly unknown[]> {
  const read = async (sql: string, params: readonly Value[] = []) => {
    const rows = await database.read(`${sql} ORDER BY 1, 2`, params);
    // The last use of a token and the last sign-in of an app are stored after the response.
    return rows.map(({ last_use_time_ms: _, last_sign_in_time_ms: __, ...row }) => row);
  };
  const tables = ['account', 'project', 'app', 'wallet'].map((table) => read(`SELECT * FROM ${table}`));
  // A sweep can delete the expired tokens meanwhile.
  return Promise.all([...tables, read('SELECT * FROM token WHERE expire_time_ms > $1', [nowMs])]);
}

/** Returns the row of a resource. */
export async function rowOf({ read }: Reader, name: string): Promise<Row> {
  const [row] = await read(`SELECT * FROM ${name.split('s/')[0]} WHERE id = $1`, [ulidOf(name)]);
  if (row === undefined) throw new Error(`There is no ${name}.`);
  return row;
}

/** Returns the rows of a table, or those of an account, in the order of their keys. */
export function rowsOf(
  { read }: Reader,
  table: keyof TableCounts,
  account?: string,
): Promise<readonly Row[]> {
  if (account === undefined) return read(`SELECT * FROM ${table} ORDER BY 1, 2`);
  return read(`SELECT * FROM ${table} WHERE account_id = $1 ORDER BY 2`, [ulidOf(account)]);
}

/** Sets columns of the row of a resource. */
export async function setRow({ write }: Writer, name: string, columns: Columns): Promise<void> {
  const changes = Object.keys(columns).map((column, index) => `${column} = $${index + 2}`);
  const sql = `UPDATE ${name.split('s/')[0]} SET ${changes.join(', ')} WHERE id = $1`;
  await write(sql, [ulidOf(name), ...Object.values(columns)]);
}

/** Sets columns of all rows of a table. */
export async function setRows({ write }: Writer, table: keyof TableCounts, columns: Columns): Promise<void> {
  const changes = Object.keys(columns).map((column, index) => `${column} = $${index + 1}`);
  await write(`UPDATE ${table} SET ${changes.join(', ')}`, Object.values(columns));
}

/** Lets these functions write by a connection of `node:sqlite`. */
export function writerOf(connection: DatabaseSync): Writer {
  return {
    async write(sql, params = []) {
      connection.prepare(sql).run(Object.fromEntries(params.map((value, index) => [`$${index + 1}`, value])));
      return [];
    },
  };
}

/** Deletes the row of a resource. */
export async function deleteRow({ write }: Writer, name: string): Promise<void> {
  await write(`DELETE FROM ${name.split('s/')[0]} WHERE id = $1`, [ulidOf(name)]);
}

/** Adds a row to a table. */
export async function addRow({ write }: Writer, table: keyof TableCounts, row: Columns): Promise<void> {
  const places = Object.keys(row).map((_, index) => `$${index + 1}`);
  await write(`INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`, [
    ...Object.values(row),
  ]);
}

/** Locks the row of a resource in a transaction. */
export async function lockRow({ write }: Writer, name: string): Promise<void> {
  await write(`UPDATE ${name.split('s/')[0]} SET create_time_ms = create_time_ms WHERE id = $1`, [
    ulidOf(name),
  ]);
}

/** Locks the rows of an account in a table of PostgreSQL. Returns their number. */
export async function lockRows({ read }: Reader, table: keyof TableCounts, account: string): Promise<number> {
  return (await read(`SELECT FROM ${table} WHERE account_id = $1 FOR UPDATE`, [ulidOf(account)])).length;
}

/** Adds wallets to a project of an account with one statement. @param description an SQL expression */
export async function addWallets(
  { write }: Writer,
  { account, projects: [project = ''] }: Pick<Tenant, 'account' | 'projects'>,
  count: number,
  description = "''",
): Promise<void> {
  await write(
    `INSERT INTO wallet
       (account_id, id, project_id, title, title_key, description, network, address, create_time_ms, update_time_ms,
        revision)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST($4 AS INTEGER))
     SELECT $1, $2 || SUBSTR(CAST(1000000 + i AS TEXT), 2), $3, 'Wallet', $5, ${description}, 'NETWORK_POLYGON',
       '0x${'9'.repeat(32)}' || SUBSTR(CAST(100000000 + i AS TEXT), 2), 0, 0, $3
     FROM n`,
    [ulidOf(account), ulidOf(project).slice(0, 20), ulidOf(project), count, titleKey('Wallet')],
  );
}

/** Adds projects to an account on SQLite, with few statements. */
export async function addProjects({ write }: Writer, account: string, count: number): Promise<void> {
  const projects = Array.from({ length: count }, (_, index) => {
    const id = `7ZZZZZZZZZZZZZZZZZ${String(index + 1).padStart(8, '0')}` as Ulid;
    return { id, i: index + 1, cid: coverImageCid(coverImage(resourceName('projects', id))) };
  });
  await write(
    `INSERT INTO project (account_id, id, title, title_key, description, image_cover_cid, create_time_ms)
     SELECT $1, n.value->>'id', 'Project ' || i, lower(hex(upper('Project ' || i))), 'No. ' || i, n.value->>'cid', i
     FROM (SELECT value, value->>'i' AS i FROM json_each($2)) AS n`,
    [ulidOf(account), JSON.stringify(projects)],
  );
  await write('UPDATE account SET project_count = project_count + $2 WHERE id = $1', [
    ulidOf(account),
    count,
  ]);
}

/** Adds an audit event of an account. */
export async function addEvent(
  { write }: Writer,
  account: string,
  {
    id,
    action = 'app.create',
    fields = '',
    count = 1,
  }: { id: string; action?: string; fields?: string; count?: number },
): Promise<void> {
  await write(
    `INSERT INTO audit_event (account_id, id, action, resource, fields, event_count, last_time_ms)
     VALUES ($1, $2, $3, 'apps/01ARZ3NDEKTSV4RRFFQ69G5FAV', $4, $5, 0)`,
    [account, id, action, fields, count],
  );
}

/** Adds old audit events on an account. */
export async function addEvents(database: Queryable, account: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => ({
    ...{ account_id: ulidOf(account), id: `01ARZ3NDEKTSV4RRFF${String(n).padStart(8, '0')}` },
    ...{ action: 'account.resume', resource: account, fields: '', event_count: 1, last_time_ms: 0 },
  }));
  await insertRows(database, 'audit_event', rows);
}

/** Returns the audit events of an account in the order of their ids, with their fields of the model. */
export async function eventsOf({ read }: Reader, account: string): Promise<readonly object[]> {
  const sql = 'SELECT * FROM audit_event WHERE account_id = $1 ORDER BY id';
  return (await read(sql, [ulidOf(account)])).map((row) => ({
    action: row['action'],
    resource: row['resource'],
    credential: row['actor_token_id'],
    token: row['token_id'],
    fields: row['fields'],
    address: row['address'],
    requestId: row['request_id'],
    count: row['event_count'],
    timeMs: decodeTime(String(row['id'])),
    lastTimeMs: row['last_time_ms'],
  }));
}
