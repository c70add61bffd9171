import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { updateProject } from '../../../src/data/projects/update-project.ts';
import { updateWallet } from '../../../src/data/update-wallet.ts';
import { graphqlApi } from '../../support/both-apis.ts';
import { textOf } from '../../support/engine.ts';
import { seedTenant, type Tenant, testFolder, useGateway } from '../../support/gateway.ts';
import { createApp, graphqlBody, ULID } from '../../support/requests.ts';
import { commandsOn, paw } from '../../support/run-command.ts';

const gateway = useGateway();
/** A deployment of its own. */
const other = useGateway();

const commands = commandsOn(() => gateway.databaseUrl);
const otherCommands = commandsOn(() => other.databaseUrl);
const { run } = commands;

/** Runs `paw import` with these lines on standard input, in the account. */
const importLines = (account: string, lines: readonly (object | string)[]) =>
  paw(
    ['import', '--account', account, '-'],
    { DATABASE_URL: gateway.databaseUrl },
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  );

/** The projects and wallets of an export, without what depends on the place of the deployment. */
async function exported(account: string, { exportOf } = commands): Promise<readonly object[]> {
  const records = await exportOf(account);
  return records
    .filter(({ type }) => type === 'project' || type === 'wallet')
    .map(({ imageCoverUrl: _, ...record }) => record);
}

const NO_OBJECT = 'Must be a JSON object in UTF-8, of at most 100,000 bytes.';

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

const wallet = (project: string, fields: object = {}) => ({
  type: 'wallet',
  title: 'Till',
  project,
  network: 'NETWORK_POLYGON',
  address: ADDRESS.toLowerCase(),
  ...fields,
});

test('an export that is imported into another deployment gives equal projects and wallets', async () => {
  const source = await seedTenant(gateway, { projects: 3, wallets: 4 });
  const api = graphqlApi(() => gateway.url);
  await createApp(api, source.token);
  gateway.clock.advance(60_000);
  await api.updateWallet(source.token, source.wallets[1] ?? '', {
    title: 'Büro  ',
    description: '\u2028"\n',
  });
  await updateWallet(gateway.operator, { name: source.wallets[2], reference: 'till:3' });
  await updateProject(gateway.operator, { name: source.projects[2], reference: 'till:3' });
  await run('wallet', 'archive', source.wallets[2] ?? '');
  const file = join(testFolder(), 'export.jsonl');
  writeFileSync(file, (await run('account', 'export', source.account)).stdout);

  const target = await seedTenant(other);
  const before = await exported(target.account, otherCommands);
  const words = ['import', '--account', target.account, file];
  const stdout = 'Imported 3 projects and 4 wallets.\n';
  expect(await otherCommands.run(...words)).toEqual({ status: 0, stdout, stderr: '' });
  const all = await exported(target.account, otherCommands);
  expect(all).toHaveLength(8);
  expect(all).toEqual(expect.arrayContaining([...before, ...(await exported(source.account))]));

  const content = await textOf(other.database);
  expect(await otherCommands.runJson(...words)).toEqual({ projects: 0, wallets: 0 });
  expect(await textOf(other.database)).toBe(content);

  // As a client sees them: counted, found, and with their events.
  const query = `{ projects(title: "project ") { totalCount } wallets(address: "0x${'2'.padStart(40, '0')}") {
    nodes { title etag project { name } } } byReference: wallets(reference: "till:3") { nodes { id } }
    all: projects { totalCount } events { nodes { action } }
    archived: wallets(title: "Wallet", archived: true) { nodes { id archiveTime } } }`;
  const { data } = await graphqlBody(other.url, target.token, query);
  expect(data).toMatchObject({
    projects: { totalCount: 2 },
    wallets: {
      nodes: [{ title: 'Büro  ', etag: expect.any(String), project: { name: source.projects[0] } }],
    },
    byReference: { nodes: [{ id: source.wallets[2] }] },
    all: { totalCount: 4 },
    archived: { nodes: [{ id: source.wallets[2], archiveTime: expect.any(String) }] },
  });
  const actions = data.events.nodes.map(({ action }: { action: string }) => action);
  expect(actions.slice(0, 7)).toEqual([
    ...Array(4).fill('wallet.create'),
    ...Array(3).fill('project.create'),
  ]);
});

test('lines without a name get the same one each time, and what exists is left as it is', async () => {
  const { account, wallets, project } = await seedTenant(gateway, { wallets: 1 });
  const before = await exported(account);
  const name = 'projects/01ARZ3NDEKTSV4RRFFQ69G5FAY';
  const TIME = '2026-01-31T12:00:00.000Z';
  const lines = [
    '',
    wallet(name, { createTime: '2026-01-31T12:00:00Z' }),
    { type: 'project', name: name.toLowerCase(), title: 'Quarry', description: 'Old' },
    // Behind a byte order mark.
    `\ufeff${JSON.stringify({ type: 'project', title: 'Mine' })}`,
    wallet(project, { name: wallets[0], title: 'Not taken' }),
    ' \t',
    wallet(project, { title: 'Cash', description: 'Box' }),
  ];
  for (const imported of ['2 projects and 2 wallets', '0 projects and 0 wallets']) {
    expect(await importLines(account, lines)).toMatchObject({ stdout: `Imported ${imported}.\n` });
  }
  const all = await exported(account);
  expect(all).toEqual(expect.arrayContaining([...before]));
  const isNew = (each: object) => !before.some((record) => isDeepStrictEqual(record, each));
  const created = all.filter(isNew);
  expect(created).toMatchObject([
    { name, title: 'Quarry', description: 'Old', imageCoverCid: expect.stringMatching(/^bafkrei/) },
    { title: 'Mine', description: '' },
    { project: name, address: ADDRESS, createTime: TIME, updateTime: TIME },
    { project, title: 'Cash', description: 'Box', network: 'NETWORK_POLYGON' },
  ]);
});

test('a reference is imported once, and a line with one that is taken is named', async () => {
  const { account, project } = await seedTenant(gateway);
  const named = (reference: string, n = 0) =>
    wallet(project, { reference, address: `0x${String(n).padStart(40, '5')}` });
  const lines = [named('a'), named('', 1), named('', 2), { type: 'project', title: 'A', reference: 'a' }];
  for (const imported of ['1 project and 3 wallets', '0 projects and 0 wallets']) {
    expect(await importLines(account, lines)).toMatchObject({ stdout: `Imported ${imported}.\n` });
  }
  const before = await textOf(gateway.database);
  for (const [more, line, problem] of [
    [[named('b', 3), named('b', 4)], 6, 'another reference than in line 5'],
    [[named('b', 3), named('a', 4)], 6, 'another reference than in line 1'],
    [[named('a b', 3)], 5, '1 to 64 of the characters'],
  ] as const) {
    const { status, stderr } = await importLines(account, [...lines, ...more]);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining(`line ${line}: reference: Must be ${problem}`),
    });
  }
  for (const [type, other] of [
    ['wallet', named('a', 4)],
    ['project', { type: 'project', title: 'B', reference: 'a' }],
  ] as const) {
    const { stderr } = await importLines(account, [{ type: 'project', title: 'C' }, other]);
    expect(stderr).toContain(
      `line 2: reference: Must be a reference that no other ${type} of the account has.`,
    );
  }
  expect(await textOf(gateway.database)).toBe(before);
});

test('a file of more than one batch is imported once, and the first bad line of all is named', async () => {
  const { account, project } = await seedTenant(gateway);
  const { wallet: foreign } = await seedTenant(gateway, { wallets: 1 });
  const lines: object[] = Array.from({ length: 60 }, (_, n) => ({
    ...wallet(project, { name: `wallets/01ARZ3NDEKTSV4RRFFQ69G5F${10 + n}` }),
  }));
  lines[57] = wallet('projects/01ARZ3NDEKTSV4RRFFQ69G5FAW');
  const before = await exported(account);
  const refused = await importLines(account, lines.toSpliced(54, 1, wallet(project, { name: foreign })));
  expect(refused.stderr).toBe(
    'paw: Standard input, line 55: name: Must be a name that no other account has.\n',
  );
  expect(await exported(account)).toEqual(before);
  lines[57] = { type: 'project', name: 'projects/01ARZ3NDEKTSV4RRFFQ69G5FAW', title: 'Quarry' };
  for (const imported of ['1 project and 59 wallets', '0 projects and 0 wallets']) {
    expect((await importLines(account, lines)).stdout).toBe(`Imported ${imported}.\n`);
  }
});

describe('a bad line is named, and nothing of the file is kept', () => {
  const GOOD = { type: 'project', title: 'Good' };
  let tenant: Tenant;
  let stranger: Tenant;

  const SAME = 'projects/01ARZ3NDEKTSV4RRFFQ69G5FAX';

  test.each<[string, () => object | string, string]>([
    ['no JSON', () => '{"type":', NO_OBJECT],
    ['a list', () => '[]', NO_OBJECT],
    ['another type', () => ({ type: 'wallets' }), 'type: Must .+'],
    ['no type', () => ({ title: 'x' }), 'type: Must .+'],
    ['an unknown field', () => ({ ...GOOD, titel: 'x' }), 'titel: Unknown field. Known fields: .+'],
    [
      'bad fields',
      () => wallet('projects/x', { title: '', createTime: 'today' }),
      'project: Must .+ line 3: title: Must .+ line 3: createTime: Must .+',
    ],
    [
      'a field whose name has control characters',
      () => ({ ...GOOD, 'a\x1b[2J\x9b\u202eb': 'x' }),
      'a\ufffd\\[2J\ufffd\ufffdb: Unknown field. .+',
    ],
    ['a name twice', () => ({ ...GOOD, name: SAME }), 'name: Must be another name than in line 2.'],
    ['a missing project', () => wallet(`projects/${ULID}`), 'project: Must be a project of .+'],
    ['a foreign project', () => wallet(stranger.project), 'project: Must be a project of .+'],
    [
      'the name of a foreign wallet',
      () => wallet(tenant.project, { name: stranger.wallets[0] }),
      'name: Must be a name that no other account has.',
    ],
  ])('%s', async (_, line, problem) => {
    tenant = await seedTenant(gateway);
    stranger = await seedTenant(gateway, { wallets: 1 });
    const before = await textOf(gateway.database);
    const result = await importLines(tenant.account, [GOOD, { ...GOOD, name: SAME }, line()]);
    const stderr = expect.stringMatching(new RegExp(`^paw: Standard input, line 3: ${problem}\n$`));
    expect(result).toEqual({ status: 2, stdout: '', stderr });
    expect(await textOf(gateway.database)).toBe(before);
  });

  test.each([
    ['that is not in UTF-8', Buffer.from('{"type":"project","title":"B\xfcro"}\n', 'latin1')],
    ['that is too long', Buffer.from(`{"type":"project",${' '.repeat(200_000)}"title":"Long"}\n`)],
  ])('%s, in a file', async (_, content) => {
    const { account } = await seedTenant(gateway);
    const file = join(testFolder(), 'bad.jsonl');
    writeFileSync(file, content);
    expect((await run('import', '--account', account, file)).stderr).toBe(
      `paw: ${file}, line 1: ${NO_OBJECT}\n`,
    );
  });
});

test('a file with a bad line creates no database', async () => {
  const folder = testFolder();
  const settings = { DATABASE_URL: `sqlite:${join(folder, 'data', 'paw.db')}` };
  const { status } = await paw(['import', '--account', ULID, '-'], settings, '[]');
  expect(status).toBe(2);
  expect(existsSync(join(folder, 'data'))).toBe(false);
});
