import type { Queryable } from './database.ts';
import { noRows, type RowOf, TABLES, type TableCounts } from './tables.ts';

const COVER = 'account_id, id, image_cover_cid';

/** The key of a project, and the CID that is stored for its cover image. */
export type CoverRow = RowOf<typeof COVER>;

const MAX_ROWS = 100;

const NO_ACCOUNT = 'NOT EXISTS (SELECT 1 FROM account a WHERE a.id = r.account_id)';

const NO_PROJECT =
  'NOT EXISTS (SELECT 1 FROM project p WHERE p.account_id = r.account_id AND p.id = r.project_id)';

/** The conditions under which a row of a table has a problem, and the description of the problem. */
const PROBLEMS: readonly (readonly [table: string, condition: string, describe: (id: string) => string])[] = [
  ['account', "state = 'DELETING'", (id) => `The deletion of accounts/${id} is not complete.`],
  [
    'account',
    "state <> 'DELETING' AND project_count <> (SELECT COUNT(*) FROM project p WHERE p.account_id = r.id)",
    (id) => `The project count of accounts/${id} is wrong.`,
  ],
  [
    'account',
    `state <> 'DELETING'
  AND NOT EXISTS (SELECT 1 FROM project p WHERE p.account_id = r.id AND p.id = r.default_project_id)`,
    (id) => `The default project of accounts/${id} does not exist.`,
  ],
  ['project', NO_ACCOUNT, (id) => `The account of projects/${id} does not exist.`],
  ['app', NO_PROJECT, (id) => `The project of apps/${id} does not exist.`],
  ['wallet', NO_PROJECT, (id) => `The project of wallets/${id} does not exist.`],
  [
    'token',
    `(${NO_ACCOUNT} OR (app_id <> ''
  AND NOT EXISTS (SELECT 1 FROM app a WHERE a.account_id = r.account_id AND a.id = r.app_id)))`,
    (id) => `The account or app of the token ${id} does not exist.`,
  ],
];

const COVERS = `SELECT ${COVER} FROM project WHERE (account_id, id) > ($1, $2)
ORDER BY account_id, id LIMIT $3`;

const BATCH_SIZE = 500;

/** Returns the number of rows of each table. */
export async function countRows(database: Queryable): Promise<TableCounts> {
  const counts = TABLES.map(({ name }) => `(SELECT COUNT(*) FROM ${name}) AS ${name}`);
  const [row] = await database.read<TableCounts>(`SELECT ${counts.join(', ')}`);
  return row ?? noRows();
}

/** Returns descriptions of rows that contradict each other, at most 100 of each kind. */
export async function findRowProblems(database: Queryable): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [table, condition, describe] of PROBLEMS) {
    const sql = `SELECT r.id AS id FROM ${table} r WHERE ${condition} LIMIT ${MAX_ROWS}`;
    const rows = await database.read<{ id: string }>(sql);
    problems.push(...rows.map(({ id }) => describe(id)));
  }
  return problems;
}

/** Returns all projects with the CIDs of their cover images, in batches. */
export async function* readCovers(database: Queryable): AsyncGenerator<readonly CoverRow[]> {
  for (let last = { account_id: '', id: '' }; ; ) {
    const params = [last.account_id, last.id, BATCH_SIZE];
    const rows: readonly CoverRow[] = await database.read<CoverRow>(COVERS, params);
    const end = rows.at(-1);
    if (end === undefined) return;
    yield rows;
    last = end;
  }
}
