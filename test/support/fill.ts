import type { Database } from '../../src/storage/interface/database.ts';
import { NEW_TOKEN_COLUMNS } from '../../src/storage/tables/tokens.ts';

/** The resource of the events. */
export const FILLED_RESOURCE = 'apps/01ARZ3NDEKTSV4RRFFQ69G5FAV';

const EVENTS = `INSERT INTO audit_event (account_id, id, action, resource, fields, event_count, last_time_ms)
    SELECT n % 100, CASE WHEN n <= 50 THEN '01ARZ3NDEK' ELSE '7ZZZZZZZZZ' END || lpad(n::text, 16, '0'),
      'app.create', '${FILLED_RESOURCE}', '', 1, 0
    FROM generate_series(1, 20000) n`;

// 2000 wallets and apps in each project, and 3000 projects in each account.
const FILL = [
  `INSERT INTO wallet
      (account_id, id, project_id, title, description, network, address, create_time_ms, update_time_ms,
       revision)
    SELECT account_id, left(id, 14) || lpad(n::text, 4, '0') || right(id, 8), id, 'Wallet', '', '', '', 0, 0, id
    FROM project, generate_series(1, 2000) n`,
  `INSERT INTO app
      (account_id, id, project_id, title, private_key_id, private_key_hash, active, create_time_ms, revision)
    SELECT account_id, left(id, 14) || lpad(n::text, 4, '0') || right(id, 8), id, 'App', '', '', 1, 0, id
    FROM project, generate_series(1, 2000) n`,
  `INSERT INTO project (account_id, id, title, description, image_cover_cid, create_time_ms)
    SELECT id, left(id, 14) || lpad(n::text, 12, '0'), '', '', '', n FROM account, generate_series(1, 3000) n`,
  EVENTS,
];

const EXPIRED = [
  `INSERT INTO token (${NEW_TOKEN_COLUMNS})
    SELECT account_id, n, id, NULL, NULL, NULL, repeat('x', 64), '', 0, 0, CASE WHEN n <= 50 THEN n ELSE 100000000000000 END
    FROM project, generate_series(1, 20000) n`,
  `INSERT INTO idempotency_key (account_id, key_hash, content_hash, response, expire_time_ms)
    SELECT n % 100, n, 'hash', repeat('x', 300), CASE WHEN n <= 50 THEN n ELSE 100000000000000 END
    FROM generate_series(1, 20000) n`,
  EVENTS,
];

/** Adds many rows to a database of PostgreSQL. */
export async function fill({ write }: Pick<Database, 'write'>): Promise<void> {
  for (const sql of FILL) await write(sql);
}

/** Adds many rows that expire to a database of PostgreSQL. */
export async function fillWithExpired({ write }: Pick<Database, 'write'>): Promise<void> {
  for (const sql of EXPIRED) await write(sql);
}
