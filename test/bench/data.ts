import { createAccount } from '../../src/commands/account-create.ts';
import { createAccountToken } from '../../src/commands/token-create.ts';
import { createWallet } from '../../src/commands/wallet-create.ts';
import { readConfig } from '../../src/config.ts';
import { passwordHasher } from '../../src/credentials/password-hasher.ts';
import { createDataLayer } from '../../src/data/create-data-layer.ts';
import { pageTokens } from '../../src/model/page-token.ts';
import { idGenerator, idOf, parseUlid } from '../../src/model/resource-name.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { loadPageTokenKey } from '../../src/storage/page-token-key.ts';
import { openTokens } from '../../src/storage/tokens.ts';

/** A database file, and what can be asked of it. */
export type BenchData = {
  readonly file: string;
  /** Account tokens of the one account. */
  readonly tokens: readonly string[];
  readonly wallets: readonly string[];
  /** Apps of the account, to sign in with. */
  readonly apps: readonly { readonly name: string; readonly privateKey: string }[];
  /** Makes the page token that stands behind the `n`th project, from 1 on. */
  cursorBehind(n: number): string;
};

const TOKENS = 20;
const WALLETS = 32;
const APPS = 32;
const LIFE_SECONDS = 86_400;

const FILL_PROJECTS = `INSERT INTO project (account_id, id, title, description, image_cover_cid, create_time_ms)
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
  SELECT $1, printf('7ZZZZZZZZZZZZZZZZZ%08d', i), 'Project ' || i, 'The project with the number ' || i || '.',
    'bafkreiglfhb2wh3kibho2tt2k7li4nl6pbpve24sdqogkclmjqgs63p3vy', i FROM n`;

// Of accounts that nobody asks for, with records of the usual size.
const FILL_TOKENS = `INSERT INTO keyv (namespace, key, value, expire_time_ms)
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
  SELECT printf('7ZZZZZZZZZZZZZZZZZ%08d', i), printf('7ZZZZZZZZZZZZZZZZZ%08d', i), value, expire_time_ms
  FROM n, (SELECT value, expire_time_ms FROM keyv LIMIT 1)`;

/** Makes an account of so many projects, and as many live tokens. */
export async function makeBenchData(file: string, count: number): Promise<BenchData> {
  const database = await openDatabase(`sqlite:${file}`, readConfig({}).postgres);
  try {
    const workplace = { database, clock: Date.now, newId: idGenerator(Date.now) };
    await migrate(database, Date.now());
    const { name: account, defaultProject } = await createAccount(workplace, 'Benchmark');
    const tokens: string[] = [];
    for (let n = 0; n < TOKENS; n += 1) {
      tokens.push((await createAccountToken(workplace, { account }, LIFE_SECONDS)).accessToken);
    }
    await database.transaction(async (transaction) => {
      await transaction.query(FILL_PROJECTS, [idOf(account), count - 1]);
      await transaction.query('UPDATE account SET project_count = $2 WHERE id = $1', [idOf(account), count]);
      await transaction.query(FILL_TOKENS, [count - TOKENS]);
    });
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
      wallets.push((await createWallet(workplace, wallet)).name);
    }
    const pages = pageTokens(await loadPageTokenKey(database));
    const data = createDataLayer({
      ...workplace,
      tokens: openTokens(database, Date.now),
      passwords: passwordHasher(0),
      pageTokens: pages,
      tokenTtlSeconds: LIFE_SECONDS,
      publicUrl: () => '',
    });
    const principal = await data.authenticate(tokens[0] ?? '');
    const apps = [];
    for (let n = 0; n < APPS; n += 1) {
      const { name, privateKey } = await data.createApp(principal, { title: 'App', active: true });
      apps.push({ name, privateKey });
    }
    const cursorBehind = (n: number) => {
      const id =
        n === 1 ? idOf(defaultProject) : parseUlid(`7ZZZZZZZZZZZZZZZZZ${String(n - 1).padStart(8, '0')}`);
      if (id === undefined) throw new Error('There is no such place.');
      return pages.encode(id);
    };
    return { file, tokens, wallets, apps, cursorBehind };
  } finally {
    await database.close();
  }
}
