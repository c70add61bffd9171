import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

const COUNT = 'SELECT COUNT(*) AS count FROM audit_event';

/** Returns the number of audit events in a database. */
export async function countEvents(url: string): Promise<number> {
  if (url.startsWith('sqlite:')) {
    const database = new DatabaseSync(url.slice('sqlite:'.length), { readOnly: true });
    const row = database.prepare(COUNT).get();
    database.close();
    return Number(row?.['count']);
  }
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query(COUNT);
  await client.end();
  return Number(rows[0].count);
}

/** Does what PostgreSQL would do for itself at some time, if the benchmark let it, so that no database is ahead of another. */
export async function vacuum(url: string): Promise<void> {
  if (!url.startsWith('postgres:')) return;
  const client = new Client(url);
  await client.connect();
  await client.query('VACUUM ANALYZE');
  await client.end();
}
