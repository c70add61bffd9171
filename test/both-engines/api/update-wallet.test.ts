import { argon2Sync } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  graphqlBody,
  inLowerCase,
  MISSING_PROJECT,
  MISSING_WALLET,
  PASSWORD,
  projectToken,
  ulidOf,
  withoutRequestId,
} from '../../support/actors.ts';
import { type Api, bothApis } from '../../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../../support/gateway.ts';
import { expectError, expectInvalid } from '../../support/refusal.ts';

const PASSWORD_HASH = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  test.each<[string, (projects: readonly string[]) => Change]>([
    ['the title', () => ({ input: { title: 'Renamed' } })],
    ['the description', () => ({ input: { description: 'Described\nanew' } })],
    ['an empty description', () => ({ input: { description: '' } })],
    [
      'the project',
      ([, other = '']) => ({ input: { project: other }, stored: { project_id: ulidOf(other) } }),
    ],
    ['the network', () => ({ input: { network: 'NETWORK_POLYGON' } })],
    [
      'the password',
      () => ({
        input: { password: PASSWORD },
        stored: { password_hash: expect.stringMatching(PASSWORD_HASH) },
      }),
    ],
    [
      'everything',
      ([, project = '']) => {
        const same = { title: 'Renamed', description: '', network: 'NETWORK_POLYGON_MUMBAI' };
        return {
          input: { ...same, project, password: PASSWORD },
          stored: {
            ...same,
            project_id: ulidOf(project),
            password_hash: expect.stringMatching(PASSWORD_HASH),
          },
        };
      },
    ],
    ['the title to the same value', () => ({ input: { title: 'Wallet 1' } })],
  ])('an update of %s changes only that', async (_, pick) => {
    const { token, projects, wallet } = await seed({ projects: 2 });
    const { input, stored = input } = pick(projects);
    const before = await rowOf(wallet);
    gateway.clock.advance(1000);
    const { value } = await api.updateWallet(token, wallet, input);
    expect(value).toStrictEqual({
      name: wallet,
      title: 'Wallet 1',
      description: 'No. 1',
      project: projects[0],
      network: 'NETWORK_ETHEREUM',
      address: '0x0000000000000000000000000000000000000001',
      ...input,
      password: '',
    });
    expect(await rowOf(wallet)).toEqual({ ...before, ...stored, update_time_ms: gateway.clock() });
  });

  test('an update without fields changes nothing and returns the wallet', async () => {
    const { token, wallet } = await seed();
    const changed = await api.updateWallet(token, wallet, { title: 'Renamed', password: PASSWORD });
    const before = await rowOf(wallet);
    gateway.clock.advance(1000);
    const { value } = await api.updateWallet(token, wallet, {});
    expect(value).toStrictEqual(changed.value);
    expect(value?.title).toBe('Renamed');
    expect(await rowOf(wallet)).toEqual(before);
  });

  test.each([
    ['title', '🦊'.repeat(200)],
    ['description', '🦊'.repeat(2000)],
    ['description', ' a\n\tb '],
  ])('a %s is stored unchanged: %j', async (field, text) => {
    const { token, wallet } = await seed();
    const { value } = await api.updateWallet(token, wallet, { [field]: text });
    expect(value).toMatchObject({ [field]: text });
    expect(await rowOf(wallet)).toMatchObject({ [field]: text });
  });

  test('a password is stored as its Argon2id hash with a new salt, and is not returned', async () => {
    const { token, wallet } = await seed();
    const { value } = await api.updateWallet(token, wallet, { password: PASSWORD });
    expect(value?.password).toBe('');
    const first = (await rowOf(wallet))['password_hash'];
    expect(first).toBe(hashAgain(PASSWORD, first));
    await api.updateWallet(token, wallet, { password: PASSWORD });
    expect((await rowOf(wallet))['password_hash']).not.toBe(first);
  });

  test('the misspelt network is stored and returned in its correct spelling', async () => {
    const { token, wallet } = await seed();
    const network = 'NETWORK_ETHEREUM_RINKEBY';
    const update = { network: 'NETWORK_ETHEREUM_RINKERBY' };
    expect((await api.updateWallet(token, wallet, update)).value?.network).toBe(network);
    expect((await rowOf(wallet))['network']).toBe(network);
  });

  test('an account token moves a wallet from the scope of one project token to that of another', async () => {
    const { tenant, token, projects, wallet } = await seed({ projects: 2 });
    const [from = '', to = ''] = projects;
    const tokens = {
      from: await projectToken(gateway, tenant, from),
      to: await projectToken(gateway, tenant, to),
    };
    expect((await api.updateWallet(tokens.from, wallet, {})).value?.project).toBe(from);
    expect((await api.updateWallet(tokens.to, wallet, {})).error?.status).toBe('NOT_FOUND');

    const moved = await api.updateWallet(token, wallet, { project: inLowerCase(to) });
    expect(moved.value?.project).toBe(to);
    expect((await api.updateWallet(tokens.from, wallet, {})).error?.status).toBe('NOT_FOUND');
    expect((await api.updateWallet(tokens.to, wallet, {})).value?.project).toBe(to);
  });

  test('a project of another account gets the same response as a missing one', async () => {
    const { token, wallet } = await seed();
    const stranger = await seed();
    const before = await rowOf(wallet);
    const sent = { title: 'Renamed' };
    const missing = await api.updateWallet(token, wallet, { ...sent, project: MISSING_PROJECT });
    const foreign = await api.updateWallet(token, wallet, { ...sent, project: stranger.projects[0] });
    expectInvalid(api, missing, ['project']);
    expect(withoutRequestId(foreign.response)).toEqual(withoutRequestId(missing.response));
    expect(await rowOf(wallet)).toEqual(before);
  });

  test('a project token updates the wallets of its project, and may name no other project', async () => {
    const { tenant, projects, wallet } = await seed({ projects: 2 });
    const [own = '', other = ''] = projects;
    const token = await projectToken(gateway, tenant, own);
    const stayed = await api.updateWallet(token, wallet, { title: 'Renamed', project: own });
    expect(stayed.value).toMatchObject({ title: 'Renamed', project: own });

    const before = await rowOf(wallet);
    const missing = await api.updateWallet(token, wallet, { title: 'Moved', project: MISSING_PROJECT });
    const moved = await api.updateWallet(token, wallet, { title: 'Moved', project: other });
    expectInvalid(api, missing, ['project']);
    expect(withoutRequestId(moved.response)).toEqual(withoutRequestId(missing.response));
    expect(await rowOf(wallet)).toEqual(before);
  });

  describe.each<[string, object]>([
    ['of nothing', {}],
    ['of the title', { title: 'Renamed' }],
    ['of the password', { password: PASSWORD }],
  ])('an update %s', (_, sent) => {
    test('of a wallet of another account gets the same response as one of a missing wallet', async () => {
      const { token } = await seed();
      const { wallet: foreign } = await seed();
      await expectHidden(api, token, foreign, sent);
    });

    test('by a project token, of a wallet of another project, gets the same response as one of a missing wallet', async () => {
      const { tenant, projects, wallet } = await seed({ projects: 2 });
      await expectHidden(api, await projectToken(gateway, tenant, projects[1]), wallet, sent);
    });
  });

  test('a project token does not move a wallet of another project into its own', async () => {
    const { tenant, projects, wallet } = await seed({ projects: 2 });
    const token = await projectToken(gateway, tenant, projects[1]);
    await expectHidden(api, token, wallet, { project: projects[1] });
  });

  test('the ULID of the wallet may be in lower case, and is returned in upper case', async () => {
    const { token, wallet } = await seed();
    const { value } = await api.updateWallet(token, inLowerCase(wallet), { title: 'Renamed' });
    expect(value).toMatchObject({ name: wallet, title: 'Renamed' });
    expect(await rowOf(wallet)).toMatchObject({ title: 'Renamed' });
  });

  test('concurrent updates of different fields are all applied', async () => {
    const { token, wallets } = await seed({ wallets: 10 });
    const texts = { title: 'Renamed', description: 'Described anew', network: 'NETWORK_POLYGON' };
    // The password comes first: its update takes longest, and must not restore older values.
    const changes = Object.entries({ password: PASSWORD, ...texts });
    const answers = await Promise.all(
      wallets.flatMap((wallet) =>
        changes.map(([field, sent]) => api.updateWallet(token, wallet, { [field]: sent })),
      ),
    );
    expect(answers.filter(({ error }) => error !== undefined)).toEqual([]);
    for (const wallet of wallets) {
      expect(await rowOf(wallet)).toMatchObject({
        ...texts,
        password_hash: expect.stringMatching(PASSWORD_HASH),
      });
    }
  });
});

test('GraphQL also returns createTime, which never changes, and updateTime, which an update sets', async () => {
  const mutation = `mutation ($input: UpdateWalletInput!) {
    updateWallet(input: $input) { wallet { id createTime updateTime project { id } } clientMutationId }
  }`;
  const { token, projects, wallet } = await seed();
  const createTime = new Date(gateway.clock()).toISOString();
  const update = async (fields: object) => {
    gateway.clock.advance(1234);
    const input = { name: wallet, ...fields };
    return (await graphqlBody(gateway.url, token, mutation, { input })).data.updateWallet;
  };
  const same = { id: wallet, createTime, project: { id: projects[0] } };

  expect(await update({})).toStrictEqual({
    wallet: { ...same, updateTime: createTime },
    clientMutationId: null,
  });
  const changed = await update({ title: 'Renamed' });
  const updateTime = new Date(gateway.clock()).toISOString();
  expect(changed).toStrictEqual({ wallet: { ...same, updateTime }, clientMutationId: null });
  expect(await update({ clientMutationId: 'mine' })).toStrictEqual({
    wallet: { ...same, updateTime },
    clientMutationId: 'mine',
  });
  expect((await update({ password: PASSWORD })).wallet.updateTime).toBe(
    new Date(gateway.clock()).toISOString(),
  );
});

/** The input of an update, and the columns that it changes, if they differ from the input. */
type Change = { readonly input: object; readonly stored?: object };

type Seeded = {
  readonly tenant: Tenant;
  readonly token: string;
  readonly projects: readonly string[];
  readonly wallets: readonly string[];
  /** The first of the wallets. */
  readonly wallet: string;
};

async function seed({ projects = 1, wallets = 1 } = {}): Promise<Seeded> {
  const tenant = await seedTenant(gateway, { projects, wallets });
  const [wallet = ''] = tenant.wallets;
  return { tenant, token: tenant.token, projects: tenant.projects, wallets: tenant.wallets, wallet };
}

async function rowOf(wallet: string, { database } = gateway) {
  const [row] = await database.read('SELECT * FROM wallet WHERE id = $1', [ulidOf(wallet)]);
  if (row === undefined) throw new Error(`There is no ${wallet}.`);
  return row;
}

/** Returns the expected hash of a password, with the salt of a stored hash. */
function hashAgain(password: string, stored: unknown): string {
  const [, salt = ''] = PASSWORD_HASH.exec(String(stored)) ?? [];
  const tag = argon2Sync('argon2id', {
    message: password,
    nonce: Buffer.from(salt, 'base64'),
    parallelism: 1,
    tagLength: 32,
    memory: 19_456,
    passes: 2,
  });
  return `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${tag.toString('base64').replaceAll('=', '')}`;
}

/** Expects that a token gets the same response for an existing wallet as for a missing one, and changes nothing. */
async function expectHidden(api: Api, token: string, wallet: string, sent: object): Promise<void> {
  const before = await rowOf(wallet);
  const missing = await api.updateWallet(token, MISSING_WALLET, sent);
  const hidden = await api.updateWallet(token, wallet, sent);
  expectError(api, missing, 'NOT_FOUND', 'RESOURCE_NOT_FOUND');
  expect(withoutRequestId(hidden.response)).toEqual(withoutRequestId(missing.response));
  expect(await rowOf(wallet)).toEqual(before);
}
