import { type OperatorContext, operatorContext } from '../../src/data/call/call.ts';
import { createApp } from '../../src/data/create-app.ts';
import { createToken } from '../../src/data/tokens/create-token.ts';
import { encodePageToken } from '../../src/model/lists/page-token.ts';
import { idOf, type Ulid } from '../../src/model/resource-name.ts';
import { createAccount } from '../../src/operator/create-account.ts';
import type { Engine } from '../../src/storage/interface/engine.ts';
import { migrate } from '../../src/storage/jobs/run-migrations.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { NEW_TOKEN_COLUMNS } from '../../src/storage/tables/tokens.ts';
import { contextOf, dataLayerOf } from './servers/data-layer.ts';

/** An account, and the values that requests to it need. */
export type AccountData = {
  readonly id: Ulid;
  /** Account tokens. */
  readonly tokens: readonly string[];
  /** The names of wallets. */
  readonly wallets: readonly string[];
};

/** A database, and the values that requests to it need. */
export type BenchData = {
  /** The value of `DATABASE_URL`. */
  readonly url: string;
  /** The account that most requests are sent to. It has as many projects as `count`. */
  readonly account: AccountData;
  /** 20 accounts that have as many wallets together as `count`. */
  readonly accounts: readonly AccountData[];
  /** Apps of the account that can sign in. */
  readonly apps: readonly { readonly name: string; readonly privateKey: string }[];
  readonly count: number;
  /** The end of the hour over which the events of the account's wallets are spread. All other events are later. */
  readonly endTime: string;
  /** The token of the page after the `n`th project, counted from 1. */
  cursorBehind(n: number): string;
};

const TOKENS = 20;
const ACCOUNTS = 20;

/** The number of projects that have the wallets. */
const PROJECTS_WITH_WALLETS = 100;

/** The number of apps of a project, from the first one on. With 10,000 projects, those with wallets have apps. */
const APPS_PER_PROJECT = 40;

const HOUR_MS = 3_600_000;

/** The number of addresses that are left for new wallets. */
const ADDRESSES = 100_000;

// The first part of an id. The rest is a number.
const ID_START = '7ZZZZZZZZZZZZZZZZZ';

/** Returns the statements that fill a database, in the SQL dialect of its engine. */
function fillStatements(url: string) {
  const isSqlite = url.startsWith('sqlite:');
  const numbers = (last: string) =>
    isSqlite
      ? `(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${last}) SELECT i FROM n) AS n`
      : `generate_series(1, ${last}::int) AS n (i)`;
  const padded = (number: string, length: number) =>
    isSqlite ? `printf('%0${length}d', ${number})` : `lpad((${number})::text, ${length}, '0')`;
  const id = (number: string) => `'${ID_START}' || ${padded(number, 8)}`;
  // Ten characters of five bits.
  const ulidTime = (ms: string) =>
    [45, 40, 35, 30, 25, 20, 15, 10, 5, 0]
      .map(
        (bits) =>
          `substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', CAST((${ms} >> ${bits}) % 32 AS INTEGER) + 1, 1)`,
      )
      .join(' || ');
  const address = `'0x' || ${padded('i', 40)}`;
  // As the code makes the keys of titles in ASCII.
  const titleKey = (title: string) =>
    isSqlite ? `lower(hex(upper(${title})))` : `encode(upper(${title})::bytea, 'hex')`;
  return {
    projects: `INSERT INTO project (account_id, id, title, title_key, description, image_cover_cid, create_time_ms)
      SELECT CAST($1 AS TEXT), ${id('i')}, 'Project ' || i, ${titleKey("'Project ' || i")}, 'The project with the number ' || i || '.',
        'bafkreiglfhb2wh3kibho2tt2k7li4nl6pbpve24sdqogkclmjqgs63p3vy', i FROM ${numbers('$2')}`,
    // The first number is that of the first wallet, less 1. The wallets are in the projects of the account in turn.
    wallets: `INSERT INTO wallet (account_id, id, project_id, title, title_key, description, network, address, reference,
        create_time_ms, update_time_ms, revision)
      SELECT CAST($1 AS TEXT), ${id('$2 + i')}, project.id, 'Wallet ' || i, ${titleKey("'Wallet ' || i")}, '',
        'NETWORK_ETHEREUM', ${address}, 'customer-' || i, i, i, ${id('$2 + i')}
      FROM ${numbers('$3')} JOIN (SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS position,
          COUNT(*) OVER () AS projects FROM project WHERE account_id = $1 LIMIT ${PROJECTS_WITH_WALLETS}) AS project
        ON position = 1 + i % (CASE WHEN projects < ${PROJECTS_WITH_WALLETS} THEN projects ELSE ${PROJECTS_WITH_WALLETS} END)`,
    // One for each wallet, at equal intervals.
    events: `INSERT INTO audit_event (account_id, id, action, resource, fields, event_count, last_time_ms)
      SELECT CAST($1 AS TEXT), ${ulidTime('ms')} || ${padded('i', 16)}, 'wallet.create', 'wallets/' || ${id('i')}, '', 1, ms
      FROM (SELECT i, CAST($2 AS BIGINT) + CAST(i AS BIGINT) * ${HOUR_MS} / $3 AS ms FROM ${numbers('$3')}) AS event`,
    addressPool: `INSERT INTO address_pool (account_id, network, address_count, last_id)
      VALUES ($1, 'NETWORK_POLYGON', $2, 'Z')`,
    addresses: `INSERT INTO address (account_id, network, id, address)
      SELECT CAST($1 AS TEXT), 'NETWORK_POLYGON', ${id('i')}, '0xa' || ${padded('i', 39)} FROM ${numbers('$2')}`,
    // Tokens that the benchmark does not use.
    tokens: `INSERT INTO token (${NEW_TOKEN_COLUMNS}) SELECT ${NEW_TOKEN_COLUMNS.replace(' id,', ` ${id('i')},`)}
      FROM ${numbers('$1')}, (SELECT * FROM token LIMIT 1) AS one`,
  };
}

/**
 * Creates an account with `count` projects and valid tokens, and 20 others.
 *
 * @param walletCount the number of wallets and events of the first account
 */
export async function makeBenchData(url: string, count: number, walletCount = count): Promise<BenchData> {
  // Filling the tables takes longer than the default timeout.
  const database = await openDatabase(url, { postgres: { poolSize: 2, timeoutMs: 600_000 } });
  const fill = fillStatements(url);
  const endMs = Date.now();
  try {
    const operator = operatorContext(database);
    await migrate(database, Date.now());
    const { defaultProject, ...account } = await makeAccount(operator);
    const others = await Promise.all(Array.from({ length: ACCOUNTS }, () => makeAccount(operator)));
    await database.transaction(async (transaction) => {
      await transaction.write(fill.projects, [account.id, count - 1]);
      await transaction.write('UPDATE account SET project_count = $2 WHERE id = $1', [account.id, count]);
      await transaction.write(fill.tokens, [count - TOKENS]);
      await transaction.write(fill.addressPool, [account.id, ADDRESSES]);
      await transaction.write(fill.addresses, [account.id, ADDRESSES]);
      await transaction.write(fill.events, [account.id, endMs - HOUR_MS, walletCount]);
    });
    const fillWallets = async ({ id, tokens }: Omit<AccountData, 'wallets'>, first: number, size: number) => {
      await database.write(fill.wallets, [id, first, size]);
      const wallets = Array.from({ length: size }, (_, n) => `wallets/${numberedId(first + n + 1)}`);
      return { id, tokens, wallets };
    };
    const filled = await fillWallets(account, 0, walletCount);
    const accounts: AccountData[] = [];
    for (const other of others)
      accounts.push(await fillWallets(other, walletCount + accounts.length * count, count / ACCOUNTS));
    const projectId = (n: number) => (n === 1 ? idOf(defaultProject) : numberedId(n - 1));
    const apps = await makeApps(database, filled, (2 * count) / 5, projectId);
    await database.write('ANALYZE');
    return {
      url,
      account: filled,
      accounts,
      apps,
      count,
      endTime: new Date(endMs).toISOString(),
      cursorBehind: (n) => encodePageToken(projectId(n)),
    };
  } finally {
    await database.close();
  }
}

function numberedId(number: number): Ulid {
  return `${ID_START}${String(number).padStart(8, '0')}` as Ulid;
}

async function makeAccount(operator: OperatorContext) {
  const { name, defaultProject } = await createAccount(operator, { title: 'Benchmark' });
  const tokens: string[] = [];
  for (let n = 0; n < TOKENS; n += 1) {
    tokens.push((await createToken(operator, { account: name })).accessToken);
  }
  return { id: idOf(name), tokens, defaultProject };
}

async function makeApps(
  database: Engine,
  { tokens: [token] }: AccountData,
  count: number,
  projectId: (n: number) => Ulid,
): Promise<BenchData['apps']> {
  const { call } = await contextOf(dataLayerOf(database, ''), `Bearer ${token}`);
  const apps = Array.from({ length: count }, (_, n) => {
    const project = `projects/${projectId(1 + Math.floor(n / APPS_PER_PROJECT))}`;
    return createApp(call, { title: 'App', active: true, project });
  });
  return (await Promise.all(apps)).map(({ name, privateKey }) => ({ name, privateKey }));
}
