import type { Queryable } from './database.ts';

const MAX_ROWS = 100;

/**
 * The conditions under which a row of a table has a problem, and the description of the problem. The other references
 * are foreign keys, which the database checks.
 */
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
  [
    'token',
    `(NOT EXISTS (SELECT 1 FROM account a WHERE a.id = r.account_id) OR (app_id <> ''
  AND NOT EXISTS (SELECT 1 FROM app a WHERE a.account_id = r.account_id AND a.id = r.app_id)))`,
    (id) => `The account or app of the token ${id} does not exist.`,
  ],
];

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
