import { chmodSync, closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createCredential, hashCredential } from '../../src/credentials/credential.ts';
import { pageTokens } from '../../src/model/page-token.ts';
import { idGenerator, type Ulid } from '../../src/model/resource-name.ts';
import type { Database } from '../../src/storage/database.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { loadPageTokenKey } from '../../src/storage/page-token-key.ts';

/** The number of rows of a database. */
export type Size = { readonly accounts: number; readonly projects: number; readonly tokens: number };

/** A client of the database: an account token, and the cursors of some pages of its account. */
export type Tenant = { readonly token: string; readonly cursors: readonly string[] };

export type SizedDatabase = {
  readonly url: string;
  /** Tenants that are spread over all accounts. */
  readonly tenants: readonly Tenant[];
  /** The size of each table with its indexes, in bytes per row. */
  readonly bytesPerRow: Readonly<Record<string, number>>;
};

const TENANTS = 2000;
const LIFE_MS = 7 * 86_400_000;
// The cover images of the benchmark are never requested.
const COVER = 'bafkreiglfhb2wh3kibho2tt2k7li4nl6pbpve24sdqogkclmjqgs63p3vy';
const CHUNK_BYTES = 1_000_000;

/**
 * Fills an empty PostgreSQL database by COPY. The projects of an account are created one after another in time, between
 * those of all other accounts, so that they are in different pages of the table.
 *
 * @param folder a folder that the server can read
 */
export async function makeSizedDatabase(
  url: string,
  { accounts, projects, tokens }: Size,
  folder: string,
): Promise<SizedDatabase> {
  // A COPY of 10 million rows takes minutes.
  const database = await openDatabase(url, { postgres: { poolSize: 1, timeoutMs: 3_600_000 } });
  try {
    await migrate(database, Date.now());
    const start = Date.now() - projects;
    const newId = idGenerator(() => start);
    const accountIds = Array.from({ length: accounts }, () => newId());
    const projectIds: Ulid[][] = accountIds.map(() => []);
    const copy = (table: string, columns: string, rows: Iterable<readonly (string | number)[]>) =>
      copyRows(database, join(folder, `${table}.tsv`), `${table} (${columns})`, rows);

    // The first projects are needed for the accounts, which the foreign keys need first.
    const defaultProjects = accountIds.map((_, n) => addProject(projectIds, n, newId));
    await copy(
      'account',
      'id, title, default_project_id, project_count, create_time_ms',
      accountIds.map((id, n) => [
        id,
        `Account ${n}`,
        defaultProjects[n] ?? '',
        Math.floor((projects - n - 1) / accounts) + 1,
        start,
      ]),
    );
    await copy(
      'project',
      'account_id, id, title, description, image_cover_cid, create_time_ms',
      (function* () {
        for (let n = 0; n < projects; n += 1) {
          const account = n % accounts;
          const id = n < accounts ? defaultProjects[n] : addProject(projectIds, account, newId);
          const texts = [`Project ${n}`, `The project with the number ${n}.`, COVER];
          yield [accountIds[account] ?? '', id ?? '', ...texts, start + n];
        }
      })(),
    );
    const used: Tenant[] = [];
    const pages = pageTokens(await loadPageTokenKey(database));
    await copy(
      'token',
      'account_id, id, value, expire_time_ms',
      (function* () {
        for (let n = 0; n < tokens; n += 1) {
          const account = n % accounts;
          const accountId = accountIds[account] as Ulid;
          const serial = newId();
          const token = createCredential('acct', accountId, serial);
          if (n % Math.ceil(tokens / TENANTS) === 0) {
            const behind = projectIds[account]?.filter((_, index) => index % 10 === 9) ?? [];
            used.push({ token, cursors: behind.slice(0, -1).map((id) => pages.encode(id)) });
          }
          const principal = { level: 'account', accountId, defaultProjectId: defaultProjects[account] };
          const expires = Date.now() + LIFE_MS;
          const value = { value: { hash: hashCredential(token), principal }, expires };
          yield [accountId, serial, JSON.stringify(value), expires];
        }
      })(),
    );
    await database.write('VACUUM (ANALYZE)');
    return { url, tenants: used, bytesPerRow: await sizes(database) };
  } finally {
    await database.close();
  }
}

function addProject(projectIds: Ulid[][], account: number, newId: () => Ulid): Ulid {
  const id = newId();
  projectIds[account]?.push(id);
  return id;
}

/** Writes rows to a file, and lets the server read it. No value has a tab, a line break or a backslash. */
async function copyRows(
  database: Database,
  file: string,
  target: string,
  rows: Iterable<readonly (string | number)[]>,
): Promise<void> {
  const descriptor = openSync(file, 'w');
  let chunk = '';
  for (const row of rows) {
    chunk += `${row.join('\t')}\n`;
    if (chunk.length < CHUNK_BYTES) continue;
    writeSync(descriptor, chunk);
    chunk = '';
  }
  writeSync(descriptor, chunk);
  closeSync(descriptor);
  chmodSync(file, 0o644);
  await database.write(`COPY ${target} FROM '${file}'`);
  rmSync(file);
}

async function sizes(database: Database): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {};
  for (const table of ['account', 'project', 'token']) {
    const [row] = await database.read<{ bytes: number }>(
      `SELECT pg_total_relation_size('${table}') / (SELECT COUNT(*) FROM ${table}) AS bytes`,
    );
    found[table] = row?.bytes ?? 0;
  }
  return found;
}
