import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createApp, graphqlBody } from '../../support/actors.ts';
import { graphqlApi } from '../../support/apis.ts';
import { textOf } from '../../support/engine.ts';
import { seedTenant, type Tenant, testFolder, useGateway } from '../../support/gateway.ts';
import { commandsOn, paw } from '../../support/paw.ts';

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
    nodes { title etag project { name } } } all: projects { totalCount } events { nodes { action } } }`;
  expect((await graphqlBody(other.url, target.token, query)).data).toMatchObject({
    projects: { totalCount: 2 },
    wallets: { nodes: [{ title: 'Büro  ', etag: 'r1', project: { name: source.projects[0] } }] },
    all: { totalCount: 4 },
    events: {
      nodes: [
        ...Array(4).fill({ action: 'wallet.create' }),
        ...Array(3).fill({ action: 'project.create' }),
        {},
        {},
        {},
      ],
    },
  });
});

test('lines without a name get one, and what exists is left as it is', async () => {
  const { account, projects, wallets } = await seedTenant(gateway, { wallets: 1 });
  const [project = ''] = projects;
  const before = await exported(account);
  const name = 'projects/01ARZ3NDEKTSV4RRFFQ69G5FAV';
  const lines = [
    '',
    { ...wallet(name, { createTime: '2026-01-31T12:00:00Z' }) },
    { type: 'project', name: name.toLowerCase(), title: 'Quarry', description: 'Old' },
    { type: 'project', title: 'Mine' },
    wallet(project, { name: wallets[0], title: 'Not taken' }),
    ' \t',
    wallet(project, { title: 'Cash', description: 'Box' }),
  ];
  expect(await importLines(account, lines)).toMatchObject({ stdout: 'Imported 2 projects and 2 wallets.\n' });
  const all = await exported(account);
  expect(all).toEqual(expect.arrayContaining([...before]));
  const isNew = (each: object) => !before.some((record) => isDeepStrictEqual(record, each));
  const created = all.filter(isNew);
  expect(created).toMatchObject([
    { name, title: 'Quarry', description: 'Old', imageCoverCid: expect.stringMatching(/^bafkrei/) },
    { title: 'Mine', description: '' },
    {
      project: name,
      address: ADDRESS,
      createTime: '2026-01-31T12:00:00.000Z',
      updateTime: '2026-01-31T12:00:00.000Z',
    },
    { project, title: 'Cash', description: 'Box', network: 'NETWORK_POLYGON' },
  ]);
});

describe('a bad line is named, and nothing of the file is kept', () => {
  const GOOD = { type: 'project', title: 'Good' };
  let tenant: Tenant;
  let stranger: Tenant;

  test.each<[string, () => object | string, string]>([
    ['no JSON', () => '{"type":', `line 3: ${NO_OBJECT}`],
    ['a list', () => '[]', `line 3: ${NO_OBJECT}`],
    ['another type', () => ({ type: 'wallets' }), 'line 3: type: Must be "project" or "wallet".'],
    ['no type', () => ({ title: 'x' }), 'line 3: type: Must be "project" or "wallet".'],
    [
      'an unknown field',
      () => ({ ...GOOD, titel: 'x' }),
      'line 3: titel: Unknown field. Known fields: type, imageCoverUrl, imageCoverCid, name, title, description, createTime.',
    ],
    [
      'bad fields',
      () => wallet('projects/x', { title: '', createTime: 'today' }),
      'line 3: project: Must be a resource name of the form projects/<ULID>. line 3: title: Must be 1 to 200 characters long. line 3: createTime: Must be a time such as 2026-01-31T12:00:00Z.',
    ],
    ['a name twice', () => ({ ...GOOD, name: SAME }), 'line 3: name: Must be another name than in line 2.'],
    [
      'a project that does not exist',
      () => wallet('projects/01ARZ3NDEKTSV4RRFFQ69G5FAW'),
      'line 3: project: Must be a project of the file or of the account.',
    ],
    [
      'a project of another account',
      () => wallet(stranger.projects[0] ?? ''),
      'line 3: project: Must be a project of the file or of the account.',
    ],
    [
      'the name of a wallet of another account',
      () => wallet(tenant.projects[0] ?? '', { name: stranger.wallets[0] }),
      'line 3: name: Must be a name that no other account has.',
    ],
  ])('%s', async (_, line, message) => {
    tenant = await seedTenant(gateway);
    stranger = await seedTenant(gateway, { wallets: 1 });
    const before = await textOf(gateway.database);
    const result = await importLines(tenant.account, [GOOD, { ...GOOD, name: SAME }, line()]);
    expect(result).toEqual({ status: 2, stdout: '', stderr: `paw: ${message}\n` });
    expect(await textOf(gateway.database)).toBe(before);
  });

  const SAME = 'projects/01ARZ3NDEKTSV4RRFFQ69G5FAX';

  test.each([
    ['that is not in UTF-8', Buffer.from('{"type":"project","title":"B\xfcro"}\n', 'latin1')],
    ['that is too long', Buffer.from(`{"type":"project",${' '.repeat(200_000)}"title":"Long"}\n`)],
  ])('%s, in a file', async (_, content) => {
    const { account } = await seedTenant(gateway);
    const file = join(testFolder(), 'bad.jsonl');
    writeFileSync(file, content);
    expect((await run('import', '--account', account, file)).stderr).toBe(`paw: line 1: ${NO_OBJECT}\n`);
  });
});

test('a file that is missing, and a folder, are refused', async () => {
  const { account } = await seedTenant(gateway);
  expect(await run('import', '--account', account, '/no/such/file')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("/no/such/file can't be read: ENOENT"),
  });
  expect(await run('import', '--account', account, testFolder())).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('EISDIR'),
  });
});
