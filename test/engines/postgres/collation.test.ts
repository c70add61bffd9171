import { randomUUID } from 'node:crypto';
import { expect, inject, onTestFinished, test } from 'vitest';
import { onDatabase } from '../../support/engine.ts';
import { makeDatabase, migrateDatabase } from '../../support/gateway.ts';
import { paw } from '../../support/run-command.ts';

const COLLATIONS = `SELECT relname || '.' || attname AS name, collname AS collation
FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN pg_collation l ON l.oid = attcollation
WHERE relnamespace = CAST(current_schema() AS regnamespace) ORDER BY 1`;

test('every text column and indexed expression is compared by its bytes, and the database is Danish', async () => {
  const { url, remove } = await makeDatabase();
  onTestFinished(remove);
  await migrateDatabase(url);
  const columns = await onDatabase(url, (database) =>
    database.read<{ name: string; collation: string }>(COLLATIONS),
  );
  expect(columns.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['wallet.id', 'wallet_by_name.expr']),
  );
  expect(columns.filter(({ collation }) => collation !== 'C')).toEqual([]);
  const [order] = await onDatabase(url, (database) =>
    database.read(`SELECT CASE WHEN 'AA' > 'Z' THEN 1 ELSE 0 END AS "isDanish"`),
  );
  expect(order).toEqual({ isDanish: 1 });
});

test('a database of another encoding than UTF-8 is refused, and left empty', async () => {
  const server = inject('postgresUrl');
  const name = `paw_${randomUUID().replaceAll('-', '')}`;
  const administer = (sql: string) => onDatabase(server, (database) => database.write(sql));
  await administer(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);
  onTestFinished(async () => void (await administer(`DROP DATABASE ${name} WITH (FORCE)`)));
  const url = new URL(server);
  url.pathname = name;
  const message = "The database has the encoding LATIN1. Create one with ENCODING 'UTF8' TEMPLATE template0.";
  for (const words of [['migrate'], ['migrate', '--dry-run']]) {
    const { status, stderr } = await paw(words, { DATABASE_URL: url.href });
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  }
  const tables = await onDatabase(url.href, (database) =>
    database.read("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"),
  );
  expect(tables).toEqual([]);
});
