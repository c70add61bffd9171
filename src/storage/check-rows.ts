import type { Ulid } from '../model/resource-name.ts';
import type { Queryable, Row } from './database.ts';

/** The number of rows of each table. */
export type RowCounts = {
  readonly accounts: number;
  readonly projects: number;
  readonly apps: number;
  readonly wallets: number;
  readonly tokens: number;
  readonly events: number;
};

/** The key of a project, and the CID that is stored for its cover image. */
export type CoverRow = { readonly account_id: Ulid; readonly id: Ulid; readonly image_cover_cid: string };

const COUNT = `SELECT (SELECT COUNT(*) FROM account) AS accounts, (SELECT COUNT(*) FROM project) AS projects,
  (SELECT COUNT(*) FROM app) AS apps, (SELECT COUNT(*) FROM wallet) AS wallets, (SELECT COUNT(*) FROM token) AS tokens,
  (SELECT COUNT(*) FROM audit_event) AS events`;

const MAX_ROWS = 100;

const missingParent = (
  table: string,
  parent: string,
  condition: string,
) => `SELECT child.id AS id FROM ${table} child
WHERE NOT EXISTS (SELECT 1 FROM ${parent} parent WHERE ${condition}) LIMIT ${MAX_ROWS}`;

const OF_PROJECT = 'parent.account_id = child.account_id AND parent.id = child.project_id';

/** The statements that find rows with a problem, and the problem of a row with this id. */
const PROBLEMS: readonly (readonly [sql: string, describe: (id: string) => string])[] = [
  [
    `SELECT id FROM account WHERE state = 'DELETING' LIMIT ${MAX_ROWS}`,
    (id) => `The deletion of accounts/${id} is not complete.`,
  ],
  [
    `SELECT a.id AS id FROM account a
WHERE a.state <> 'DELETING' AND a.project_count <> (SELECT COUNT(*) FROM project p WHERE p.account_id = a.id) LIMIT ${MAX_ROWS}`,
    (id) => `The project count of accounts/${id} is wrong.`,
  ],
  [
    `SELECT a.id AS id FROM account a WHERE a.state <> 'DELETING'
  AND NOT EXISTS (SELECT 1 FROM project p WHERE p.account_id = a.id AND p.id = a.default_project_id) LIMIT ${MAX_ROWS}`,
    (id) => `The default project of accounts/${id} does not exist.`,
  ],
  [
    missingParent('project', 'account', 'parent.id = child.account_id'),
    (id) => `The account of projects/${id} does not exist.`,
  ],
  [missingParent('app', 'project', OF_PROJECT), (id) => `The project of apps/${id} does not exist.`],
  [missingParent('wallet', 'project', OF_PROJECT), (id) => `The project of wallets/${id} does not exist.`],
  [
    `SELECT token.id AS id FROM token WHERE NOT EXISTS (SELECT 1 FROM account WHERE account.id = token.account_id)
  OR (app_id <> ''
    AND NOT EXISTS (SELECT 1 FROM app WHERE app.account_id = token.account_id AND app.id = token.app_id))
LIMIT ${MAX_ROWS}`,
    (id) => `The account or app of the token ${id} does not exist.`,
  ],
];

const COVERS = `SELECT account_id, id, image_cover_cid FROM project WHERE (account_id, id) > ($1, $2)
ORDER BY account_id, id LIMIT $3`;

const BATCH_SIZE = 500;

/** Returns the number of rows of each table. @throws UNAVAILABLE if the database is unavailable */
export async function countRows(database: Queryable): Promise<RowCounts> {
  const [row] = await database.read<RowCounts & Row>(COUNT);
  if (row === undefined) throw new Error('A statement without a FROM clause returned no row.');
  return row;
}

/**
 * Returns descriptions of rows that contradict each other, at most 100 of each kind.
 *
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function findRowProblems(database: Queryable): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [sql, describe] of PROBLEMS) {
    const rows = await database.read<{ id: string }>(sql);
    problems.push(...rows.map(({ id }) => describe(id)));
  }
  return problems;
}

/** Returns all projects with the CIDs of their cover images, in batches. */
export async function* readCovers(database: Queryable): AsyncGenerator<readonly CoverRow[]> {
  for (let last = { account_id: '', id: '' }; ; ) {
    const rows: readonly CoverRow[] = await database.read<CoverRow>(COVERS, [
      last.account_id,
      last.id,
      BATCH_SIZE,
    ]);
    if (rows.length > 0) yield rows;
    const end = rows.at(-1);
    if (end === undefined || rows.length < BATCH_SIZE) return;
    last = end;
  }
}
