import { describe, expect, test } from 'vitest';
import { PasswordHasher } from '../../../src/credentials/password-hasher.ts';
import type { OperationDependencies } from '../../../src/data/call/call.ts';
import { updateWallet } from '../../../src/data/update-wallet.ts';
import { bothApis, restApi } from '../../support/both-apis.ts';
import { clientCall, seedTenant, useGateway, useTenant } from '../../support/gateway.ts';
import {
  type AppKey,
  createAccountToken,
  createApp,
  createAppIn,
  credentialParts,
  graphqlBody,
  keyOf,
  PASSWORD,
  projectTokenOf,
  reasonOf,
  tokenStatus,
  ulidOf,
} from '../../support/requests.ts';
import { commandsOn, paw } from '../../support/run-command.ts';

const MINUTE_MS = 60_000;

const gateway = useGateway();
/** Another instance on the same database. */
const other = useGateway({}, gateway);
const tenant = useTenant(gateway);
const stranger = useTenant(gateway);

const api = restApi(() => gateway.url);

const { run, runJson, expectRefusal } = commandsOn(() => gateway.databaseUrl);

test('an update of a project or a wallet changes the given fields alone, and an empty reference removes it', async () => {
  const { projects, wallets } = await seedTenant(gateway, { projects: 2, wallets: 1 });
  for (const [kind, name = ''] of [
    ['project', projects[1]],
    ['wallet', wallets[0]],
  ] as const) {
    let expected = await runJson(kind, 'update', name);
    for (const change of [{ title: 'Quarry', reference: 'q' }, { description: 'Deep' }, { reference: '' }]) {
      const words = Object.entries(change).flatMap(([field, value]) => [`--${field}`, value]);
      expected = { ...expected, ...change };
      expect(await runJson(kind, 'update', name, ...words)).toStrictEqual(expected);
    }
  }
});

test('a creation with a reference says in its output that it is new, or names what has it', async () => {
  const { account, project, wallets } = await seedTenant(gateway, { wallets: 1 });
  const create = ['project', 'create', '--account', account, '--title', 'Quarry', '--reference', 'quarry'];
  const { isNew, ...created } = await runJson(...create);
  expect({ isNew, reference: created.reference }).toEqual({ isNew: true, reference: 'quarry' });
  expect(await runJson(...create)).toEqual({ ...created, isNew: false });
  expect((await run(...create)).stdout).toBe(`${created.name} has this reference.\n`);
  const address = `0x${'7'.repeat(40)}`;
  const wallet = [
    '--title',
    'Till',
    '--network',
    'NETWORK_POLYGON',
    '--address',
    address,
    '--reference',
    'till',
  ];
  const register = ['wallet', 'create', '--project', project, ...wallet];
  const registered = await runJson(...register);
  expect(registered.reference).toBe('till');
  // The address is not compared.
  await expectRefusal(1, 'reference', ...register);
  expect((await runJson('wallet', 'list', '--project', project)).wallets).toContainEqual(registered);
  await expectRefusal(1, 'reference', 'wallet', 'update', wallets[0] ?? '', '--reference', 'till');
  await expectRefusal(1, 'reference', 'project', 'update', project, '--reference', 'quarry');
  expect((await run('project', 'list', '--account', account, '--wide')).stdout).toMatch(
    / REFERENCE .*\n.* quarry\n/s,
  );
});

describe('a deletion', () => {
  test('of a project is refused while anything depends on it', async () => {
    const owner = await seedTenant(gateway, { projects: 2, wallets: 1 });
    const { account } = owner;
    const [first = '', second = ''] = owner.projects;
    const { wallet } = owner;
    const expectInUse = async (project: string) => {
      const stderr = expect.stringMatching(/^paw: The project has apps, wallets or .+\n$/);
      expect(await run('project', 'delete', project, '--yes')).toEqual({ status: 1, stdout: '', stderr });
    };
    await runJson('wallet', 'update', wallet, '--project', second);
    await expectInUse(first);
    await expectInUse(second);
    await runJson('wallet', 'delete', wallet, '--yes');

    const app = await createAppIn(gateway, api, owner, second);
    await expectInUse(second);
    await runJson('app', 'delete', app.name, '--yes');

    // The token with which the app was created has this default project.
    await expectInUse(second);
    const { tokens } = await runJson('token', 'list', '--account', account);
    await runJson('token', 'revoke', '--id', tokens[1].id);
    // An expired token is deleted with the project.
    await createAccountToken({ ...gateway.operator, clock: () => 0 }, { account, project: second }, 1);

    expect(await runJson('project', 'delete', second, '--yes')).toMatchObject({ name: second });
    const query = '{ projects { totalCount nodes { name } } }';
    const { data } = await graphqlBody(gateway.url, owner.token, query);
    expect(data.projects).toEqual({ totalCount: 1, nodes: [{ name: first }] });
  });

  test('of a project to which a wallet is being moved refuses the move', async () => {
    const owner = await seedTenant(gateway, { projects: 2, wallets: 1 });
    const [first = '', project = ''] = owner.projects;
    const [name = ''] = owner.wallets;
    const hasher = new PasswordHasher();
    // The project is deleted after the move has found it.
    const passwords: OperationDependencies['passwords'] = {
      async hash(...args) {
        await runJson('project', 'delete', project, '--yes');
        return hasher.hash(...args);
      },
    };
    const accountId = ulidOf(owner.account);
    const principal = {
      accountId,
      projectId: ulidOf(first),
      appId: undefined,
      makerTokenId: undefined,
      tokenId: credentialParts(owner.token).id,
      isOneProject: false,
      isReadOnly: false,
      title: '',
    } as const;
    const input = { name, project, password: PASSWORD };
    const { operator, database } = gateway;
    const move = updateWallet(clientCall({ ...operator, database, passwords }, principal), input);
    await expect(move).rejects.toMatchObject({
      reason: 'INVALID_FIELD',
      fieldViolations: [{ field: 'project' }],
    });
  });

  // `test/api/delete-app.test.ts` shows the same of an app.
  test('of a wallet takes it away from both APIs', async () => {
    const { token, wallet } = await seedTenant(gateway, { wallets: 1 });
    expect(await runJson('wallet', 'delete', wallet, '--yes')).toMatchObject({ name: wallet });
    for (const each of [...bothApis(() => gateway.url), ...bothApis(() => other.url)]) {
      expect(await reasonOf(each.updateWallet(token, wallet, {}))).toBe('RESOURCE_NOT_FOUND');
    }
  });
});

test('a rotation of the key of an app gives a new key once, and the old one goes on for the grace period', async () => {
  const app = await createApp(api, tenant.token);
  const reasons = async (...keys: AppKey[]) =>
    Promise.all(keys.map((key) => reasonOf(api.signIn(tenant.token, keyOf(key)))));
  const first = await runJson('app', 'rotate-key', app.name);
  expect(first).toStrictEqual({ ...app, privateKey: expect.stringMatching(/^paw_key_/) });
  expect(await reasons(app, first)).toEqual(['INVALID_CREDENTIALS', 'ok']);

  const second = await runJson('app', 'rotate-key', app.name, '--grace', '10m');
  // Long enough for the clock of the command, which is another one.
  gateway.clock.advance(5 * MINUTE_MS);
  expect(await reasons(first, second)).toEqual(['ok', 'ok']);
  gateway.clock.advance(10 * MINUTE_MS);
  expect(await reasons(first, second)).toEqual(['INVALID_CREDENTIALS', 'ok']);
});

describe('token revoke', () => {
  test('by id, app and account refuses exactly these tokens on every instance', async () => {
    const owner = await seedTenant(gateway);
    const { accessToken: second } = await createAccountToken(gateway.operator, owner, 3600);
    const [one, two] = [await createApp(api, owner.token), await createApp(api, owner.token)];
    const tokens = {
      second,
      one: await projectTokenOf(api, owner.token, one),
      more: await projectTokenOf(api, owner.token, one),
      two: await projectTokenOf(api, owner.token, two),
      first: owner.token,
      foreign: stranger.token,
    };
    const live = async () => {
      const names: string[] = [];
      for (const [name, token] of Object.entries(tokens)) {
        const apis = [gateway, other].map(({ url }) => restApi(() => url));
        const statuses = await Promise.all(apis.map((each) => tokenStatus(each, token)));
        expect(new Set(statuses).size).toBe(1);
        if (statuses[0] === 'ok') names.push(name);
      }
      return names;
    };
    expect(await live()).toEqual(Object.keys(tokens));
    const { id } = credentialParts(second);
    expect(await runJson('token', 'revoke', '--id', id.toLowerCase())).toEqual({ revoked: 1 });
    expect(await live()).toEqual(['one', 'more', 'two', 'first', 'foreign']);
    expect(await runJson('token', 'revoke', '--app', one.name)).toEqual({ revoked: 2 });
    expect(await live()).toEqual(['two', 'first', 'foreign']);
    expect(await runJson('token', 'revoke', '--account', owner.account)).toEqual({ revoked: 2 });
    expect(await live()).toEqual(['foreign']);
    expect(await runJson('token', 'revoke', '--account', owner.account)).toEqual({ revoked: 0 });
  });

  test('refuses a line on standard input that is much longer than a token', async () => {
    const settings = { DATABASE_URL: gateway.databaseUrl };
    const { status, stderr } = await paw(['token', 'revoke'], settings, 'x'.repeat(200_000));
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/^paw: .+too long.\n$/) });
  });
});
