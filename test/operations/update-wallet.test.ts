import { argon2Sync } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { type Api, bothApis, postGraphql, send } from '../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';
import { anonymous, codeOf, expectInvalid } from '../support/refusal.ts';

const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const MISSING_WALLET = `wallets/${'0'.repeat(26)}`;
const MISSING_PROJECT = `projects/${'0'.repeat(26)}`;
const PASSWORD = 'correct horse battery staple 123';
const PASSWORD_HASH = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  test.each<[string, (projects: readonly string[]) => Change]>([
    ['the title', () => ({ sent: { title: 'Renamed' } })],
    ['the description', () => ({ sent: { description: 'Described\nanew' } })],
    ['an empty description', () => ({ sent: { description: '' } })],
    ['the project', ([, other = '']) => ({ sent: { project: other }, kept: { project_id: ulidOf(other) } })],
    ['the network', () => ({ sent: { network: 'NETWORK_POLYGON' } })],
    [
      'the password',
      () => ({ sent: { password: PASSWORD }, kept: { password_hash: expect.stringMatching(PASSWORD_HASH) } }),
    ],
    [
      'everything',
      ([, project = '']) => {
        const same = { title: 'Renamed', description: '', network: 'NETWORK_POLYGON_MUMBAI' };
        return {
          sent: { ...same, project, password: PASSWORD },
          kept: { ...same, project_id: ulidOf(project), password_hash: expect.stringMatching(PASSWORD_HASH) },
        };
      },
    ],
    ['what it already is', () => ({ sent: { title: 'Wallet 1' } })],
  ])('an update of %s changes just that', async (_, pick) => {
    const { token, projects, wallet } = await seed({ projects: 2 });
    const { sent, kept = sent } = pick(projects);
    const before = await rowOf(wallet);
    gateway.clock.advance(1000);
    const { value } = await api.updateWallet(token, wallet, sent);
    expect(value).toStrictEqual({
      name: wallet,
      title: 'Wallet 1',
      description: 'No. 1',
      project: projects[0],
      network: 'NETWORK_ETHEREUM',
      address: '0x0000000000000000000000000000000000000001',
      ...sent,
      password: '',
    });
    expect(await rowOf(wallet)).toEqual({ ...before, ...kept, update_time_ms: gateway.clock() });
  });

  test('an update of nothing changes nothing and returns the wallet', async () => {
    const { token, wallet } = await seed();
    const changed = await api.updateWallet(token, wallet, { title: 'Renamed', password: PASSWORD });
    const before = await rowOf(wallet);
    gateway.clock.advance(1000);
    const { value } = await api.updateWallet(token, wallet, {});
    expect(value).toStrictEqual(changed.value);
    expect(value?.title).toBe('Renamed');
    expect(await rowOf(wallet)).toEqual(before);
  });

  test.each<[field: string, what: string, sent: string]>([
    ['title', '1 character', 'a'],
    ['title', '200 characters', 'a'.repeat(200)],
    ['title', '200 emoji', '🦊'.repeat(200)],
    ['description', '2,000 characters', 'a'.repeat(2000)],
    ['description', '2,000 emoji', '🦊'.repeat(2000)],
    ['description', 'spaces and line breaks', ' a\n\tb '],
  ])('a %s may be %s, and is kept as it is', async (field, _, sent) => {
    const { token, wallet } = await seed();
    const { value } = await api.updateWallet(token, wallet, { [field]: sent });
    expect(value).toMatchObject({ [field]: sent });
    expect(await rowOf(wallet)).toMatchObject({ [field]: sent });
  });

  test.each<[string, string]>([
    ['ASCII characters', PASSWORD],
    ['emoji', '🦊'.repeat(32)],
  ])(
    'a password of 32 %s is kept as its Argon2id hash, and is neither returned nor logged',
    async (_, password) => {
      const { token, wallet } = await seed();
      const { value, response } = await api.updateWallet(token, wallet, { password });
      expect(value?.password).toBe('');
      expect(response.text).not.toContain(password);
      expect(gateway.log()).not.toContain(password);

      const first = (await rowOf(wallet))['password_hash'];
      expect(first).toBe(hashAgain(password, first));
      await api.updateWallet(token, wallet, { password });
      const second = (await rowOf(wallet))['password_hash'];
      expect(second).not.toBe(first);
      expect(second).toBe(hashAgain(password, second));
    },
  );

  test.each([
    ['NETWORK_ETHEREUM', 'NETWORK_ETHEREUM'],
    ['NETWORK_ETHEREUM_RINKEBY', 'NETWORK_ETHEREUM_RINKEBY'],
    ['NETWORK_ETHEREUM_RINKERBY', 'NETWORK_ETHEREUM_RINKEBY'],
    ['NETWORK_POLYGON', 'NETWORK_POLYGON'],
    ['NETWORK_POLYGON_MUMBAI', 'NETWORK_POLYGON_MUMBAI'],
  ])('the network %s is kept and returned as %s', async (sent, network) => {
    const { token, wallet } = await seed();
    await api.updateWallet(token, wallet, { network: 'NETWORK_POLYGON' });
    expect((await api.updateWallet(token, wallet, { network: sent })).value?.network).toBe(network);
    expect((await rowOf(wallet))['network']).toBe(network);
    expect((await api.updateWallet(token, wallet, {})).value?.network).toBe(network);
  });

  test.each<[field: string, what: string, sent: unknown]>([
    ...['title', 'description', 'project', 'network', 'password'].map((field): [string, string, unknown] => [
      field,
      'null',
      null,
    ]),
    ['title', 'empty', ''],
    ['title', '201 characters', 'a'.repeat(201)],
    ['title', '201 emoji', '🦊'.repeat(201)],
    ['title', 'a number', 5],
    ['title', 'text with NUL', 'a\0b'],
    ['title', 'a lone high surrogate', 'a\ud83e'],
    ['title', 'a lone low surrogate', '\udd8ab'],
    ['title', 'a list with a semicolon', ['a; b']],
    ['description', '2,001 characters', 'a'.repeat(2001)],
    ['description', '2,001 emoji', '🦊'.repeat(2001)],
    ['description', 'a number', 5],
    ['description', 'text with NUL', '\0'],
    ['description', 'a lone high surrogate', '\ud83e'],
    ['description', 'a lone low surrogate', '\udd8a'],
    ['password', 'empty', ''],
    ['password', '31 characters', 'a'.repeat(31)],
    ['password', '33 characters', 'a'.repeat(33)],
    ['password', '16 emoji, which are 32 UTF-16 units', '🦊'.repeat(16)],
    ['password', '31 emoji', '🦊'.repeat(31)],
    ['password', '33 emoji', '🦊'.repeat(33)],
    ['password', 'a number', 5],
    ['password', '32 characters, one of them NUL', `${'a'.repeat(31)}\0`],
    ['password', '32 characters, one of them a lone surrogate', `${'a'.repeat(31)}\ud83e`],
    ['network', 'unknown', 'NETWORK_BITCOIN'],
    ['network', 'in lower case', 'network_polygon'],
    ['network', 'empty', ''],
    ['network', 'a number', 1],
    ['network', 'text with NUL', 'NETWORK_POLYGON\0'],
    ['project', 'empty', ''],
    ['project', 'a number', 5],
    ['project', 'a ULID alone', ULID],
    ['project', 'the name of an app', `apps/${ULID}`],
    ['project', 'a name with too short a ULID', 'projects/0'],
    ['project', 'text with NUL', `projects/${ULID.slice(1)}\0`],
    ['project', 'a lone surrogate', `projects/${ULID.slice(1)}\ud83e`],
    ['address', 'not the client’s', '0x0000000000000000000000000000000000000002'],
    ['id', 'not the client’s', MISSING_WALLET],
    ['updateTime', 'not the client’s', '2026-01-31T12:00:00.000Z'],
    ['foo', 'unknown', 'text'],
  ])('%s that is %s is refused by name, and nothing is changed', async (field, _, sent) => {
    const { token, wallet } = await seed();
    const before = await rowOf(wallet);
    gateway.clock.advance(1000);
    const others = { title: 'Renamed', description: 'Described anew' };
    expectInvalid(api, await api.updateWallet(token, wallet, { ...others, [field]: sent }), [field]);
    expect(await rowOf(wallet)).toEqual(before);
  });

  test('every value at fault is named at once', async () => {
    const { token, wallet } = await seed();
    const sent = { title: '', description: '\0', project: 'projects/', password: 'short' };
    expectInvalid(api, await api.updateWallet(token, wallet, sent), Object.keys(sent));
  });

  test.each<[string, object]>([
    ['it is of the wrong length', { password: `${PASSWORD}!` }],
    ['it is in a list', { password: [PASSWORD] }],
    ['it is in an object', { password: { text: PASSWORD } }],
    ['another field is unknown', { password: PASSWORD, foo: 1 }],
    ['another field is at fault', { password: PASSWORD, title: null }],
  ])('a password is neither repeated nor logged when %s', async (_, sent) => {
    const { token, wallet } = await seed();
    const { error, response } = await api.updateWallet(token, wallet, sent);
    expect(error?.status).toBe('INVALID_ARGUMENT');
    expect(response.text).not.toContain(PASSWORD);
    expect(gateway.log()).not.toContain(PASSWORD);
  });

  test('an account token moves a wallet within the account, out of one project token’s reach into another’s', async () => {
    const { tenant, token, projects, wallet } = await seed({ projects: 2 });
    const [from = '', to = ''] = projects;
    const tokens = { from: await projectToken(api, tenant, from), to: await projectToken(api, tenant, to) };
    expect((await api.updateWallet(tokens.from, wallet, {})).value?.project).toBe(from);
    expect((await api.updateWallet(tokens.to, wallet, {})).error?.status).toBe('NOT_FOUND');

    const moved = await api.updateWallet(token, wallet, { project: inLowerCase(to) });
    expect(moved.value?.project).toBe(to);
    expect((await api.updateWallet(tokens.from, wallet, {})).error?.status).toBe('NOT_FOUND');
    expect((await api.updateWallet(tokens.to, wallet, {})).value?.project).toBe(to);
  });

  test('a project of another account is refused in the same bytes as one that is missing', async () => {
    const { token, wallet } = await seed();
    const stranger = await seed();
    const before = await rowOf(wallet);
    const sent = { title: 'Renamed' };
    const missing = await api.updateWallet(token, wallet, { ...sent, project: MISSING_PROJECT });
    const foreign = await api.updateWallet(token, wallet, { ...sent, project: stranger.projects[0] });
    expectInvalid(api, missing, ['project']);
    expect(anonymous(foreign)).toEqual(anonymous(missing));
    expect(await rowOf(wallet)).toEqual(before);
  });

  test('a project token changes the wallets of its project, and may name no other project', async () => {
    const { tenant, projects, wallet } = await seed({ projects: 2 });
    const [own = '', other = ''] = projects;
    const token = await projectToken(api, tenant, own);
    const stayed = await api.updateWallet(token, wallet, { title: 'Renamed', project: own });
    expect(stayed.value).toMatchObject({ title: 'Renamed', project: own });

    const before = await rowOf(wallet);
    const missing = await api.updateWallet(token, wallet, { title: 'Moved', project: MISSING_PROJECT });
    const moved = await api.updateWallet(token, wallet, { title: 'Moved', project: other });
    expectInvalid(api, missing, ['project']);
    expect(anonymous(moved)).toEqual(anonymous(missing));
    expect(await rowOf(wallet)).toEqual(before);
  });

  describe.each<[string, object]>([
    ['of nothing', {}],
    ['of the title', { title: 'Renamed' }],
    ['of the password', { password: PASSWORD }],
  ])('an update %s', (_, sent) => {
    test('of a wallet of another account gets the same bytes as one of a missing wallet', async () => {
      const { token } = await seed();
      const { wallet: foreign } = await seed();
      await expectHidden(api, token, foreign, sent);
    });

    test('of a wallet of another project gets a project token the same bytes as one of a missing wallet', async () => {
      const { tenant, projects, wallet } = await seed({ projects: 2 });
      await expectHidden(api, await projectToken(api, tenant, projects[1]), wallet, sent);
    });
  });

  test('a project token does not move a wallet of another project into its own', async () => {
    const { tenant, projects, wallet } = await seed({ projects: 2 });
    const token = await projectToken(api, tenant, projects[1]);
    await expectHidden(api, token, wallet, { project: projects[1] });
  });

  test('the ULID of the wallet may be in lower case, and comes back in upper case', async () => {
    const { token, wallet } = await seed();
    const { value } = await api.updateWallet(token, inLowerCase(wallet), { title: 'Renamed' });
    expect(value).toMatchObject({ name: wallet, title: 'Renamed' });
    expect(await rowOf(wallet)).toMatchObject({ title: 'Renamed' });
  });

  test.each([
    ['empty', ''],
    ['the collection alone', 'wallets'],
    ['without a ULID', 'wallets/'],
    ['a ULID alone', ULID],
    ['the name of a project', `projects/${ULID}`],
    ['in the wrong case', `Wallets/${ULID}`],
    ['a ULID of 25 characters', `wallets/${ULID.slice(1)}`],
    ['a ULID of 27 characters', `wallets/0${ULID}`],
    ['a ULID with the letter U', `wallets/${ULID.replace('V', 'U')}`],
    ['a ULID with the letter I', `wallets/${ULID.replace('1', 'I')}`],
    ['a ULID beyond the largest', `wallets/8${ULID.slice(1)}`],
    // Its upper case is the ASCII letter S.
    ['a ULID with a long s', `wallets/${ULID.replace('S', 'ſ')}`],
    ['a name with a slash behind', `wallets/${ULID}/`],
    ['a name with two slashes', `wallets//${ULID}`],
    ['a name with its slash escaped twice', `wallets%252F${ULID}`],
    ['a name with NUL', `wallets/${ULID}%00`],
    ['a name with a space', `wallets/${ULID}%20`],
  ])('a wallet’s name that is %s is refused by name', async (_, name) => {
    const { token } = await seed();
    expectInvalid(api, await api.updateWallet(token, name, {}), ['name']);
  });

  test('no wallet is changed without a token', async () => {
    const { wallet } = await seed();
    const before = await rowOf(wallet);
    const { error, response } = await api.updateWallet(undefined, wallet, { title: 'Renamed' });
    expect(error).toMatchObject({ status: 'UNAUTHENTICATED', reason: 'TOKEN_MISSING' });
    expect(response.status).toBe(401);
    expect(await rowOf(wallet)).toEqual(before);
  });

  test('updates of different fields at the same time all stand', async () => {
    const { token, wallets } = await seed({ wallets: 10 });
    const texts = { title: 'Renamed', description: 'Described anew', network: 'NETWORK_POLYGON' };
    // The password goes first: it takes longest, and must not bring back what it found at its start.
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

describe('by REST alone', () => {
  test.each(['/', '%2F', '%2f'])('the slash of the wallet’s name may be spelled %s', async (slash) => {
    const { token, wallet } = await seed();
    for (const name of [wallet, inLowerCase(wallet)]) {
      const url = `${gateway.url}/wallet/${name.replace('/', slash)}`;
      const { status, text } = await send(url, 'PATCH', token, { title: `Renamed by ${name}` });
      expect(status).toBe(200);
      expect(JSON.parse(text)).toMatchObject({ name: wallet, title: `Renamed by ${name}` });
    }
  });

  test('name is not a field of the body, and nothing is changed', async () => {
    const { token, wallet } = await seed();
    const before = await rowOf(wallet);
    for (const name of [wallet, MISSING_WALLET]) {
      const url = `${gateway.url}/wallet/${wallet}`;
      const { status, text } = await send(url, 'PATCH', token, { title: 'Renamed', name });
      expect(status).toBe(400);
      expect(JSON.parse(text).error.details[1].fieldViolations).toMatchObject([{ field: 'name' }]);
    }
    expect(await rowOf(wallet)).toEqual(before);
  });
});

describe('by GraphQL alone', () => {
  const UPDATE = `mutation ($input: UpdateWalletInput!) {
    updateWallet(input: $input) { wallet { id createTime updateTime project { id } } clientMutationId }
  }`;

  test('updateTime moves with an update and stays without one; createTime stays', async () => {
    const { token, projects, wallet } = await seed();
    const createTime = new Date(gateway.clock()).toISOString();
    const update = async (sent: object) => {
      gateway.clock.advance(1234);
      const input = { name: wallet, ...sent };
      return JSON.parse((await postGraphql(gateway.url, token, UPDATE, { input })).text).data.updateWallet;
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
    const again = await update({ password: PASSWORD });
    expect(again.wallet.updateTime).toBe(new Date(gateway.clock()).toISOString());
  });

  test('a null name is refused by name', async () => {
    const { token } = await seed();
    const { text } = await postGraphql(gateway.url, token, UPDATE, { input: { name: null } });
    expect(JSON.parse(text).errors[0].extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      fieldViolations: [{ field: 'name' }],
    });
  });

  test('clientMutationId with NUL is refused by name, and nothing is changed', async () => {
    const { token, wallet } = await seed();
    const before = await rowOf(wallet);
    const input = { name: wallet, title: 'Renamed', clientMutationId: '\0' };
    const { text } = await postGraphql(gateway.url, token, UPDATE, { input });
    expect(JSON.parse(text).errors[0].extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      fieldViolations: [{ field: 'clientMutationId' }],
    });
    expect(await rowOf(wallet)).toEqual(before);
  });
});

describe('with no room for passwords to wait', () => {
  let narrow: Gateway;
  beforeAll(async () => {
    narrow = await startGateway({ PAW_PASSWORD_QUEUE: '0' });
    return narrow.stop;
  });

  test.each(bothApis(() => narrow.url))(
    'by $name, passwords that are too many at once are refused and change nothing, and those after them are set',
    async (api) => {
      const { token, wallets } = await seedTenant(narrow, { wallets: 16 });
      const sent = { title: 'Renamed', password: PASSWORD };
      const outcomes = await Promise.all(
        wallets.map(async (wallet) => ({ wallet, ...(await api.updateWallet(token, wallet, sent)) })),
      );
      const refused = outcomes.filter(({ error }) => error !== undefined);
      expect(refused.length).toBeGreaterThan(0);
      expect(refused.length).toBeLessThan(wallets.length);
      for (const { error, response } of refused) {
        expect(error?.status).toBe('RESOURCE_EXHAUSTED');
        expect(response.status).toBe(api.name === 'REST' ? 429 : 200);
        expect(codeOf(api, response.text)).toBe(api.name === 'REST' ? 429 : 'RATE_LIMITED');
        if (api.name === 'REST') expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      }
      for (const { wallet, error } of outcomes) {
        const { title, password_hash } = await rowOf(wallet, narrow);
        expect([wallet, title, password_hash]).toEqual(
          error
            ? [wallet, expect.stringMatching(/^Wallet \d+$/), null]
            : [wallet, 'Renamed', expect.stringMatching(PASSWORD_HASH)],
        );
      }
      for (const { wallet } of refused.slice(0, 3)) {
        expect((await api.updateWallet(token, wallet, sent)).value?.title).toBe('Renamed');
      }
    },
  );
});

/** What an update sends, and the columns that hold it after, if they are called otherwise. */
type Change = { readonly sent: object; readonly kept?: object };

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

/** Signs in an app of the project. */
async function projectToken(api: Api, { account }: Tenant, project: string | undefined): Promise<string> {
  const { accessToken } = await createAccountToken(gateway.admin, { account, project }, 60);
  const app = await api.createApp(accessToken, { title: 'App', active: true });
  const { name, privateKey } = app.value ?? {};
  const { value, response } = await api.signIn(accessToken, { name, privateKey });
  if (value === undefined) throw new Error(response.text);
  return value.accessToken;
}

async function rowOf(wallet: string, { database } = gateway) {
  const [row] = await database.query('SELECT * FROM wallet WHERE id = $1', [ulidOf(wallet)]);
  if (row === undefined) throw new Error(`There is no ${wallet}.`);
  return row;
}

/** What the hash of a password must be, with the salt of one that is kept. */
function hashAgain(password: string, kept: unknown): string {
  const [, salt = ''] = PASSWORD_HASH.exec(String(kept)) ?? [];
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

/** Expects that a wallet that exists is as a missing one to a token, and stays as it is. */
async function expectHidden(api: Api, token: string, wallet: string, sent: object): Promise<void> {
  const before = await rowOf(wallet);
  const missing = await api.updateWallet(token, MISSING_WALLET, sent);
  const hidden = await api.updateWallet(token, wallet, sent);
  expect(missing.error).toMatchObject({ status: 'NOT_FOUND', reason: 'RESOURCE_NOT_FOUND' });
  expect(missing.response.status).toBe(api.name === 'REST' ? 404 : 200);
  expect(codeOf(api, missing.response.text)).toBe(api.name === 'REST' ? 404 : 'NOT_FOUND');
  expect(anonymous(hidden)).toEqual(anonymous(missing));
  expect(await rowOf(wallet)).toEqual(before);
}

function ulidOf(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}

function inLowerCase(name: string): string {
  return name.replace(/[^/]+$/, (ulid) => ulid.toLowerCase());
}
