import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operatorContext } from '../../src/data/call/call.ts';
import { createToken } from '../../src/data/tokens/create-token.ts';
import { createAccount } from '../../src/operator/create-account.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { makeBenchData } from './data.ts';
import type { Known } from './hostile-requests.ts';

const PROJECTS = 100;
const WALLETS_PER_PROJECT = 2500;

// The first and the last 100 wallets of a project have a long description.
const FILL = `INSERT INTO wallet (account_id, id, project_id, title, title_key, description, network, address,
    create_time_ms, update_time_ms, revision)
  WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${WALLETS_PER_PROJECT - 1}),
    p AS (SELECT account_id, id, ROW_NUMBER() OVER (ORDER BY id) - 1 AS j FROM project)
  SELECT account_id, '7ZZZZZZZZZZZZZZZZY' || printf('%08d', j * ${WALLETS_PER_PROJECT} + i), id, 'Wallet ' || i,
    lower(hex(upper('Wallet ' || i))), CASE WHEN i % ${WALLETS_PER_PROJECT - 100} < 100 THEN $1 ELSE '' END,
    'NETWORK_ETHEREUM', '0x' || printf('%040d', i), i, i, id FROM p, n`;

/** What the requests need: a valid one, and an account token of the account and of another one. */
export type HostileData = {
  readonly known: Omit<Known, 'token'>;
  readonly accountToken: string;
  readonly otherToken: string;
};

/** Fills a database, and returns what requests to it need. */
export async function seed(url: string): Promise<HostileData> {
  const { account: filled, apps } = await makeBenchData(url, PROJECTS);
  const { wallets, tokens, id: account } = filled;
  const database = await openDatabase(url);
  const description = '\u0001'.repeat(2000);
  await database.write('UPDATE project SET description = $1', [description]);
  await database.write(FILL, [description]);
  await database.write('ANALYZE');
  const [project] = await database.read<{ id: string }>(
    'SELECT MIN(id) AS id FROM project WHERE account_id = $1',
    [account],
  );
  const operator = operatorContext(database);
  const { name: other } = await createAccount(operator, { title: 'Other' });
  const { accessToken: otherToken } = await createToken(operator, { account: other });
  await database.close();
  const known = {
    wallet: wallets[0] ?? '',
    project: `projects/${project?.id}`,
    files: { '/assets/:file': largestFile('src/pages/assets/*.gz'), '/docs/:page': largestFile('docs/*.md') },
    ...(apps[0] ?? { name: '', privateKey: '' }),
  };
  return { known, accountToken: tokens[0] ?? '', otherToken };
}

/** Returns the path at which the gateway serves the largest file: `/assets/…` or `/docs/…`. */
function largestFile(pattern: string): string {
  const cwd = fileURLToPath(new URL('../../', import.meta.url));
  const sizeOf = (file: string) => statSync(join(cwd, file)).size;
  const [largest = ''] = globSync(pattern, { cwd }).toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return `/${largest.replace('src/pages/', '').replace(/\.gz$/, '')}`;
}
