import type { Queryable } from '../interface/database.ts';
import { TABLES } from '../tables/tables.ts';
import { allProblems, MAX_DESCRIBED, type Problems, problemsOfKind } from '../work/problems.ts';

/** A condition under which a row of a table has a problem, and the description of the problem. */
type Check = readonly [
  table: (typeof TABLES)[number]['name'],
  condition: string,
  describe: (id: string) => string,
];

/** The column that names a row. */
const ID_COLUMNS = new Map<string, string | undefined>([
  ...TABLES.map(({ name, key }) => [name, key.at(-1)] as const),
  ['address', 'address'],
]);

// The database checks the other references, which are foreign keys.
const CHECKS: readonly Check[] = [
  ['account', "state = 'DELETING'", (id) => `The deletion of accounts/${id} is not complete.`],
  ['account', "state = 'RESTORING'", (id) => `The restoration of accounts/${id} is not complete.`],
  [
    'account',
    "state IN ('ACTIVE', 'SUSPENDED') AND project_count <> (SELECT COUNT(*) FROM project p WHERE p.account_id = r.id)",
    (id) => `The project count of accounts/${id} is wrong.`,
  ],
  [
    'account',
    "state IN ('ACTIVE', 'SUSPENDED') AND app_count <> (SELECT COUNT(*) FROM app a WHERE a.account_id = r.id)",
    (id) => `The app count of accounts/${id} is wrong.`,
  ],
  [
    'account',
    `state IN ('ACTIVE', 'SUSPENDED')
  AND NOT EXISTS (SELECT 1 FROM project p WHERE p.account_id = r.id AND p.id = r.default_project_id)`,
    (id) => `The default project of accounts/${id} does not exist.`,
  ],
  [
    'account',
    `state IN ('ACTIVE', 'SUSPENDED') AND EXISTS (SELECT 1 FROM address_pool p WHERE p.account_id = r.id AND p.address_count <>
  (SELECT COUNT(*) FROM address a WHERE a.account_id = p.account_id AND a.network = p.network AND a.id <= p.last_id))`,
    (id) => `The address count of accounts/${id} is wrong.`,
  ],
  [
    'account',
    `EXISTS (SELECT 1 FROM address_pool p JOIN address a ON a.account_id = p.account_id AND a.network = p.network
  WHERE p.account_id = r.id AND a.id > p.last_id)`,
    (id) =>
      `An addition of addresses to accounts/${id} was interrupted. Run it again, or delete them with "paw address delete --all".`,
  ],
  [
    'address',
    `r.address IN (SELECT address FROM (
  SELECT account_id, address FROM address UNION SELECT account_id, address FROM wallet
) used GROUP BY address HAVING COUNT(*) > 1)`,
    (address) => `The address ${address} is unused in one account, and another account has it, too.`,
  ],
  [
    'wallet',
    'EXISTS (SELECT 1 FROM address a WHERE a.account_id = r.account_id AND a.address = r.address)',
    (id) => `The address of wallets/${id} is also among the unused addresses.`,
  ],
  [
    'token',
    `app_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM app a WHERE a.account_id = r.account_id AND a.id = r.app_id)`,
    (id) => `The app of the token ${id} does not exist.`,
  ],
  // The events of a deleted account can be kept.
  [
    'idempotency_key',
    'NOT EXISTS (SELECT 1 FROM account a WHERE a.id = r.account_id)',
    (id) => `The account of the idempotency key ${id} does not exist.`,
  ],
];

/** Returns the problems in rows: contradictions between them, and values that do not exist. */
export async function findRowProblems(database: Queryable): Promise<Problems> {
  const found: Problems[] = [];
  for (const [table, condition, describe] of CHECKS) {
    const sql = `SELECT r.${ID_COLUMNS.get(table)} AS id, COUNT(*) OVER () AS count FROM ${table} r
WHERE ${condition} LIMIT ${MAX_DESCRIBED}`;
    const rows = await database.read<{ id: string; count: number }>(sql);
    found.push(
      problemsOfKind(
        rows.map(({ id }) => describe(id)),
        rows[0]?.count,
      ),
    );
  }
  return allProblems(found);
}
