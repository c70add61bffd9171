import { operatorContext } from '../../src/data/call/call.ts';
import { createApp } from '../../src/data/create-app.ts';
import { createToken } from '../../src/data/tokens/create-token.ts';
import { encodePageToken } from '../../src/model/lists/page-token.ts';
import { idOf, type Ulid } from '../../src/model/resource-name.ts';
import { createAccount } from '../../src/operator/create-account.ts';
import { registerWallet } from '../../src/operator/register-wallet.ts';
import { migrate } from '../../src/storage/jobs/run-migrations.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { NEW_TOKEN_COLUMNS } from '../../src/storage/tables/tokens.ts';
import { contextOf, dataLayerOf } from './servers/data-layer.ts';

/** A database, and the values that requests to it need. */
export type BenchData = {
  /** The value of `DATABASE_URL`. */
  readonly url: string;
  readonly account: Ulid;
  /** Account tokens of the account. */
  readonly tokens: readonly string[];
  readonly wallets: readonly string[];
  /** Apps of the account that can sign in. */
  readonly apps: readonly { readonly name: string; readonly privateKey: string }[];
  /** The number of projects in the account. */
  readonly count: number;
  /** The token of the page after the `n`th project, counted from 1. */
  cursorBehind(n: number): string;
};

const TOKENS = 20;
const WALLETS = 64;
const APPS = 32;

/** Returns the statements that fill a database, in the SQL dialect of its engine. */
function fillStatements(url: string) {
  const isSqlite = url.startsWith('sqlite:');
  const numbers = (last: string) =>
    isSqlite
      ? `(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${last}) SELECT i FROM n) AS n`
      : `generate_series(1, ${last}::int) AS n (i)`;
  const id = `'${ID_START}' || ${isSqlite ? "printf('%08d', i)" : "lpad(i::text, 8, '0')"}`;
  return {
    projects: `INSERT INTO project (account_id, id, title, description, image_cover_cid, create_time_ms)
      SELECT CAST($1 AS TEXT), ${id}, 'Project ' || i, 'The project with the number ' || i || '.',
        'bafkreiglfhb2wh3kibho2tt2k7li4nl6pbpve24sdqogkclmjqgs63p3vy', i FROM ${numbers('$2')}`,
    wallets: `INSERT INTO wallet (account_id, id, project_id, title, description, network, address, create_time_ms,
        update_time_ms, revision)
      SELECT CAST($1 AS TEXT), ${id}, CAST($2 AS TEXT), 'Wallet ' || i, '', 'NETWORK_ETHEREUM',
        '0x' || ${isSqlite ? "printf('%040d', i)" : "lpad(i::text, 40, '0')"}, i, i, ${id}
      FROM ${numbers('$3')}`,
    // As the code makes the keys of titles in ASCII.
    titleKeys: ['project', 'wallet'].map(
      (table) => `UPDATE ${table} SET title_key =
      ${isSqlite ? 'lower(hex(upper(title)))' : "encode(upper(title)::bytea, 'hex')"}`,
    ),
    // Tokens that the benchmark does not use.
    tokens: `INSERT INTO token (${NEW_TOKEN_COLUMNS}) SELECT ${NEW_TOKEN_COLUMNS.replace(' id,', ` ${id},`)}
      FROM ${numbers('$1')}, (SELECT * FROM token LIMIT 1) AS one`,
  };
}

const ID_START = '7ZZZZZZZZZZZZZZZZZ';

/** Creates an account with `count` projects, and `count` valid tokens. */
export async function makeBenchData(url: string, count: number): Promise<BenchData> {
  // Filling the tables takes longer than the default timeout.
  const database = await openDatabase(url, { postgres: { poolSize: 2, timeoutMs: 600_000 } });
  const fill = fillStatements(url);
  try {
    const operator = operatorContext(database);
    await migrate(database, Date.now());
    const { name: account, defaultProject } = await createAccount(operator, { title: 'Benchmark' });
    const tokens: string[] = [];
    for (let n = 0; n < TOKENS; n += 1) {
      tokens.push((await createToken(operator, { account })).accessToken);
    }
    await database.transaction(async (transaction) => {
      await transaction.write(fill.projects, [idOf(account), count - 1]);
      await transaction.write('UPDATE account SET project_count = $2 WHERE id = $1', [idOf(account), count]);
      await transaction.write(fill.tokens, [count - TOKENS]);
      await transaction.write(fill.wallets, [idOf(account), idOf(defaultProject), count]);
      for (const sql of fill.titleKeys) await transaction.write(sql);
    });
    await database.write('ANALYZE');
    const wallets: string[] = [];
    for (let n = 1; n <= WALLETS; n += 1) {
      const address = `0x${n.toString(16).padStart(40, '0')}`;
      const wallet = {
        project: defaultProject,
        title: 'Wallet',
        description: '',
        network: 'NETWORK_ETHEREUM',
        address,
      };
      wallets.push((await registerWallet(operator, wallet)).name);
    }
    const data = await dataLayerOf(database, '');
    const { call } = await contextOf(data, `Bearer ${tokens[0]}`);
    const apps = [];
    for (let n = 0; n < APPS; n += 1) {
      const { name, privateKey } = await createApp(call, { title: 'App', active: true });
      apps.push({ name, privateKey });
    }
    const projectId = (n: number) =>
      n === 1 ? idOf(defaultProject) : (`${ID_START}${String(n - 1).padStart(8, '0')}` as Ulid);
    const cursorBehind = (n: number) => encodePageToken(projectId(n));
    return { url, account: idOf(account), tokens, wallets, apps, count, cursorBehind };
  } finally {
    await database.close();
  }
}
