import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import {
  createApp,
  createAppIn,
  credentialParts,
  keyOf,
  MISSING_APP,
  MISSING_PROJECT,
  MISSING_WALLET,
  PASSWORD,
  postSignIn,
  projectToken,
  projectTokenOf,
  reasonOf,
  resultOf,
  ULID,
  ulidOf,
  withOtherSecret,
} from '../../support/actors.ts';
import {
  type Api,
  bothApis,
  graphqlApi,
  type HttpResponse,
  type Outcome,
  postGraphql,
  send,
} from '../../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../../support/gateway.ts';
import { paw, pawJson } from '../../support/paw.ts';

const MINUTE_MS = 60_000;

/** Bounds the events of failed sign-ins of an account in a minute. */
const MAX_FAILURE_EVENTS = 100;

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ PAW_TRUSTED_PROXIES: '127.0.0.1' });
  return gateway.stop;
});

// The counted events of one test are not those of another.
beforeEach(() => gateway.clock.advance(MINUTE_MS));

const settings = () => ({ DATABASE_URL: gateway.databaseUrl });

const run = (...words: string[]) => pawJson(words, settings());

/** An event as `audit list` prints it. */
type Event = Readonly<Record<string, unknown>> & { readonly id: string; readonly count: number };

/** Returns the events of an account, the oldest first. */
async function eventsOf({ account }: Pick<Tenant, 'account'>, ...options: string[]): Promise<Event[]> {
  const all: Event[] = [];
  for (let pageToken = ''; ; ) {
    const page = ['--page-size', '100', '--page-token', pageToken];
    const { events, nextPageToken } = await run('audit', 'list', '--account', account, ...options, ...page);
    all.push(...events);
    if (nextPageToken === '') return all.toReversed();
    pageToken = nextPageToken;
  }
}

/** Returns the events of an account that `work` adds or changes, without their ids. */
async function recorded(tenant: Pick<Tenant, 'account'>, work: () => Promise<unknown>) {
  const before = (await eventsOf(tenant)).map((event) => JSON.stringify(event));
  await work();
  const events = await eventsOf(tenant);
  return events
    .filter((event) => !before.includes(JSON.stringify(event)))
    .map(({ id: _, ...fields }) => fields);
}

const now = () => new Date(gateway.clock()).toISOString();

const thisMinute = () => new Date(gateway.clock() - (gateway.clock() % MINUTE_MS)).toISOString();

/** The event of an act of a client. */
function ofClient(
  tenant: Tenant,
  token: string,
  { headers }: HttpResponse,
  act: { readonly action: string } & Readonly<Record<string, unknown>>,
) {
  return {
    time: /^(app|wallet)\.update$/.test(act.action) ? thisMinute().replace('.000Z', '.001Z') : now(),
    account: tenant.account,
    token: '',
    fields: [],
    count: 1,
    actor: 'credential',
    credential: credentialParts(token).serial,
    address: '127.0.0.1',
    requestId: headers.get('x-request-id'),
    ...act,
  };
}

/** The event of an act of the operator. */
function ofOperator({ account }: Pick<Tenant, 'account'>, act: object) {
  const nobody = { actor: 'operator', credential: '', address: '', requestId: '' };
  return {
    time: expect.stringMatching(/^\d{4}-/),
    account,
    token: '',
    fields: [],
    count: 1,
    ...nobody,
    ...act,
  };
}

describe('what only GraphQL has', () => {
  let tenant: Tenant;
  let app: string;

  beforeAll(async () => {
    tenant = await seedTenant(gateway);
    app = (
      await createApp(
        graphqlApi(() => gateway.url),
        tenant.token,
      )
    ).name;
  });

  /** Runs a mutation with an account token, and returns its response and the events that it adds. */
  async function mutate(mutation: string, input: object, token = tenant.token) {
    const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input!`;
    const document = `mutation ($input: ${type}) { ${mutation}(input: $input) { clientMutationId } }`;
    let response: HttpResponse | undefined;
    const events = await recorded(tenant, async () => {
      response = await postGraphql(gateway.url, token, document, { input });
    });
    if (response === undefined) throw new Error('The mutation did not run.');
    return { response, events };
  }

  test.each([
    ['a title', () => ({ title: 'Till' }), [{ action: 'app.update', fields: ['title'] }]],
    ['a deactivation', () => ({ active: false }), [{ action: 'app.deactivate' }]],
    [
      'a title and an activation',
      () => ({ title: 'Till', active: true }),
      [{ action: 'app.update', fields: ['title'] }, { action: 'app.activate' }],
    ],
    ['nothing', () => ({}), []],
  ])('an update of an app with %s is recorded', async (_, changes, acts) => {
    const { response, events } = await mutate('updateApp', { name: app, ...changes() });
    expect(JSON.parse(response.text).errors).toBeUndefined();
    expect(events).toEqual(
      acts.map((act) => ofClient(tenant, tenant.token, response, { resource: app, ...act })),
    );
  });

  test('a rotation of a key is recorded, and a refused one is not', async () => {
    const { response, events } = await mutate('rotateAppKey', { name: app });
    expect(events).toEqual([
      ofClient(tenant, tenant.token, response, { action: 'app.rotate_key', resource: app }),
    ]);
    expect((await mutate('rotateAppKey', { name: MISSING_APP })).events).toEqual([]);
  });

  test('a sign-out is recorded with the public id of the token', async () => {
    const { accessToken } = await run('token', 'create', '--account', tenant.account);
    const { response, events } = await mutate('signOut', {}, accessToken);
    const token = credentialParts(accessToken).serial;
    const expected = { action: 'sign_out', resource: tenant.account, token };
    expect(events).toEqual([ofClient(tenant, accessToken, response, expected)]);
  });
});

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  let tenant: Tenant;
  let app: { readonly name: string; readonly privateKey: string };

  beforeAll(async () => {
    tenant = await seedTenant(gateway, { projects: 2, wallets: 2 });
    app = keyOf(await createApp(api, tenant.token));
  });

  /** Runs an operation, and returns its response and the events that it adds. */
  async function act<T>(operation: () => Promise<Outcome<T>>) {
    let outcome: Outcome<T> | undefined;
    const events = await recorded(tenant, async () => {
      outcome = await operation();
    });
    if (outcome === undefined) throw new Error('The operation did not run.');
    return { ...outcome, events };
  }

  test('the creation of an app is recorded', async () => {
    const { value, response, events } = await act(() =>
      api.createApp(tenant.token, { title: 'Till', active: true }),
    );
    const expected = { action: 'app.create', resource: value?.name };
    expect(events).toEqual([ofClient(tenant, tenant.token, response, expected)]);
  });

  test('a sign-in is recorded with the public id of its token', async () => {
    const { value, response, events } = await act(() => api.signIn(tenant.token, app));
    const token = credentialParts(value?.accessToken ?? '').serial;
    const expected = { action: 'sign_in.succeed', resource: app.name, token };
    expect(events).toEqual([ofClient(tenant, tenant.token, response, expected)]);
  });

  test.each([
    ['one field', () => ({ title: 'Treasury' }), ['title']],
    ['a field with the value that it has', () => ({ title: 'Treasury' }), ['title']],
    [
      'all fields',
      () => ({
        title: 'All',
        description: '',
        project: tenant.projects[1],
        network: 'NETWORK_POLYGON',
        password: PASSWORD,
      }),
      ['title', 'description', 'project', 'network', 'password'],
    ],
  ])('an update of %s of a wallet is recorded with their names', async (_, changes, fields) => {
    const [wallet = ''] = tenant.wallets;
    const { response, events } = await act(() => api.updateWallet(tenant.token, wallet, changes()));
    const expected = { action: 'wallet.update', resource: wallet, fields };
    expect(events).toEqual([ofClient(tenant, tenant.token, response, expected)]);
  });

  test('an act with a project token is recorded with the public id of the token', async () => {
    const token = await projectToken(gateway, tenant);
    const [, wallet = ''] = tenant.wallets;
    const { response, events } = await act(() => api.updateWallet(token, wallet, { description: 'Cold' }));
    const expected = { action: 'wallet.update', resource: wallet, fields: ['description'] };
    expect(events).toEqual([ofClient(tenant, token, response, expected)]);
  });

  test('an act is recorded with the address that a trusted proxy forwards, or its IPv6 network', async () => {
    for (const [forwarded, address] of [
      ['192.0.2.7', '192.0.2.7'],
      ['2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
    ] as const) {
      const header = { 'x-forwarded-for': forwarded };
      const events = await recorded(tenant, () => postSignIn(api, gateway.url, tenant.token, app, header));
      expect(events).toMatchObject([{ action: 'sign_in.succeed', address }]);
    }
  });

  test('what changes nothing is not recorded', async () => {
    const [wallet = ''] = tenant.wallets;
    const events = await recorded(tenant, async () => {
      await resultOf(api.updateWallet(tenant.token, wallet, {}));
      await resultOf(api.listProjects(tenant.token));
      expect(await reasonOf(api.updateWallet(tenant.token, MISSING_WALLET, { title: 'None' }))).toBe(
        'RESOURCE_NOT_FOUND',
      );
      for (const changes of [{ title: '' }, { project: MISSING_PROJECT }]) {
        expect(await reasonOf(api.updateWallet(tenant.token, wallet, changes))).toBe('INVALID_FIELD');
      }
      expect(await reasonOf(api.createApp(tenant.token, { title: '', active: true }))).toBe('INVALID_FIELD');
    });
    expect(events).toEqual([]);
  });

  test('a repeated request with an Idempotency-Key is recorded once', async () => {
    const headers = { 'idempotency-key': 'update' };
    const [wallet = ''] = tenant.wallets;
    const update = () =>
      api.name === 'REST'
        ? send(`${gateway.url}/wallet/${wallet}`, 'PATCH', tenant.token, { title: 'Once' }, headers)
        : postGraphql(gateway.url, tenant.token, UPDATE, { name: wallet }, headers);
    const responses: HttpResponse[] = [];
    const events = await recorded(tenant, async () => {
      for (let times = 0; times < 3; times += 1) responses.push(await update());
    });
    const [first] = responses;
    expect(responses.map(({ text }) => text)).toEqual(Array(3).fill(first?.text));
    const expected = { action: 'wallet.update', resource: wallet, fields: ['title'] };
    expect(events).toEqual([ofClient(tenant, tenant.token, first as HttpResponse, expected)]);
  });

  test('updates of the same fields by one credential within a minute are one event with their number', async () => {
    gateway.clock.advance(MINUTE_MS);
    const [wallet = ''] = tenant.wallets;
    const { accessToken } = await run('token', 'create', '--account', tenant.account);
    const events = await recorded(tenant, async () => {
      for (const title of ['One', 'Two', 'Three']) await api.updateWallet(tenant.token, wallet, { title });
      await api.updateWallet(tenant.token, wallet, { title: 'Four', description: 'Four' });
      await api.updateWallet(accessToken, wallet, { title: 'Five' });
    });
    const update = { action: 'wallet.update', resource: wallet };
    const [own, other] = [tenant.token, accessToken].map((token) => credentialParts(token).serial);
    expect(events).toHaveLength(3);
    expect(events).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...update, fields: ['title'], credential: own, count: 3 }),
        expect.objectContaining({ ...update, fields: ['title', 'description'], credential: own, count: 1 }),
        expect.objectContaining({ ...update, fields: ['title'], credential: other, count: 1 }),
      ]),
    );
    gateway.clock.advance(MINUTE_MS);
    const later = await recorded(tenant, () => api.updateWallet(tenant.token, wallet, { title: 'Six' }));
    expect(later).toMatchObject([{ ...update, count: 1 }]);
  });

  test('failed sign-ins of one minute, app and address are one event with their number', async () => {
    const [wrong, inactive] = [
      { ...app, privateKey: withOtherSecret(app.privateKey) },
      keyOf(await createApp(api, tenant.token, { active: false })),
    ];
    gateway.clock.advance(MINUTE_MS);
    const failure = (count: number, resource: string) => ({
      time: thisMinute(),
      action: 'sign_in.fail',
      resource,
      count,
    });
    const { response, events } = await act(() => api.signIn(tenant.token, wrong));
    expect(events).toEqual([ofClient(tenant, tenant.token, response, failure(1, app.name))]);
    // The credential and the request are those of the first.
    const { accessToken } = await run('token', 'create', '--account', tenant.account);
    expect((await act(() => api.signIn(accessToken, wrong))).events).toEqual([
      ofClient(tenant, tenant.token, response, failure(2, app.name)),
    ]);
    const header = { 'x-forwarded-for': '192.0.2.7' };
    expect(
      await recorded(tenant, () => postSignIn(api, gateway.url, tenant.token, wrong, header)),
    ).toMatchObject([{ ...failure(1, app.name), address: '192.0.2.7' }]);
    expect((await act(() => api.signIn(tenant.token, inactive))).events).toMatchObject([
      failure(1, inactive.name),
    ]);
    gateway.clock.advance(MINUTE_MS);
    expect((await act(() => api.signIn(tenant.token, wrong))).events).toMatchObject([failure(1, app.name)]);
  });

  test('failed sign-ins to apps that do not exist are one event, which names the account', async () => {
    gateway.clock.advance(MINUTE_MS);
    const other = await createApp(api, (await seedTenant(gateway)).token);
    const events = await recorded(tenant, async () => {
      for (const name of [MISSING_APP, `apps/${ULID}`, other.name]) {
        expect(await reasonOf(api.signIn(tenant.token, { name, privateKey: app.privateKey }))).toBe(
          'INVALID_CREDENTIALS',
        );
      }
    });
    expect(events).toMatchObject([{ action: 'sign_in.fail', resource: tenant.account, count: 3 }]);
  });

  test('a failed sign-in of a request with an Idempotency-Key is recorded, though the request is undone', async () => {
    gateway.clock.advance(MINUTE_MS);
    const inactive = keyOf(await createApp(api, tenant.token, { active: false }));
    const header = { 'idempotency-key': 'sign-in' };
    const events = await recorded(tenant, async () => {
      for (const key of [{ ...app, privateKey: withOtherSecret(app.privateKey) }, inactive]) {
        await postSignIn(api, gateway.url, tenant.token, key, header);
      }
    });
    const failure = { action: 'sign_in.fail', count: 1 };
    expect(events).toHaveLength(2);
    expect(events).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...failure, resource: app.name }),
        expect.objectContaining({ ...failure, resource: inactive.name }),
      ]),
    );
  });

  test('without its event nothing is changed', async () => {
    const [wallet = ''] = tenant.wallets;
    const { title } = await resultOf(api.updateWallet(tenant.token, wallet, {}));
    const [apps, tokens] = [await countOf('app'), await countOf('token')];
    await withoutEvents(async () => {
      expect(await reasonOf(api.updateWallet(tenant.token, wallet, { title: 'Unrecorded' }))).toBe(
        'INTERNAL',
      );
      expect(await reasonOf(api.createApp(tenant.token, { title: 'Unrecorded', active: true }))).toBe(
        'INTERNAL',
      );
      expect(await reasonOf(api.signIn(tenant.token, app))).toBe('INTERNAL');
    });
    expect(await resultOf(api.updateWallet(tenant.token, wallet, {}))).toMatchObject({ title });
    expect([await countOf('app'), await countOf('token')]).toEqual([apps, tokens]);
    expect(await reasonOf(api.updateWallet(tenant.token, wallet, { title: 'Recorded' }))).toBe('ok');
  });
});

const UPDATE = `mutation ($name: ResourceName!) { updateWallet(input: { name: $name, title: "Once" }) { wallet { title } } }`;

async function countOf(table: string): Promise<number> {
  const rows = await gateway.database.read<{ count: number }>(`SELECT COUNT(*) AS count FROM ${table}`);
  return rows[0]?.count ?? Number.NaN;
}

const REFUSE_EVENTS =
  inject('engine') === 'postgres'
    ? [
        `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'Refused.'; END $$`,
        'CREATE TRIGGER refuse_event BEFORE INSERT ON audit_event FOR EACH ROW EXECUTE FUNCTION refuse()',
      ]
    : [`CREATE TRIGGER refuse_event BEFORE INSERT ON audit_event BEGIN SELECT RAISE(ABORT, 'Refused.'); END`];

const ACCEPT_EVENTS =
  inject('engine') === 'postgres' ? ['DROP FUNCTION refuse CASCADE'] : ['DROP TRIGGER refuse_event'];

/** Runs `work` while no event can be inserted. */
async function withoutEvents(work: () => Promise<void>): Promise<void> {
  for (const sql of REFUSE_EVENTS) await gateway.database.write(sql);
  try {
    await work();
  } finally {
    for (const sql of ACCEPT_EVENTS) await gateway.database.write(sql);
  }
}

// How the address is read does not depend on the engine.
test.runIf(inject('engine') === 'sqlite')(
  'an act whose client has gone is recorded with its address, also without a log of requests',
  async () => {
    const log = { PAW_LOG_REQUESTS: 'none' };
    const silent = await startGateway({ ...log, DATABASE_URL: gateway.databaseUrl }, gateway.clock);
    onTestFinished(silent.stop);
    const tenant = await seedTenant(gateway);
    const api = graphqlApi(() => silent.url);
    const { name } = await createApp(api, tenant.token);
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holder = gateway.database.transaction(async (transaction) => {
      await transaction.write('UPDATE app SET active = active WHERE id = $1', [ulidOf(name)]);
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    const query = `mutation { updateApp(input: { name: "${name}", title: "Till" }) { app { name } } }`;
    const body = JSON.stringify({ query });
    const socket = connect(Number(new URL(silent.url).port), '127.0.0.1');
    socket.write(
      'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
        `Authorization: Bearer ${tenant.token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    // Meanwhile, the update has begun to wait for the lock.
    for (let times = 0; times < 5; times += 1) await resultOf(api.listProjects(tenant.token));
    socket.resume().end();
    // The server has closed its side.
    await once(socket, 'close');
    held.resolve();
    await holder;
    const read = () => eventsOf(tenant, '--action', 'app.update');
    await expect.poll(read, { timeout: 20_000 }).toMatchObject([{ resource: name, address: '127.0.0.1' }]);
  },
);

test('each sign-in of a request with an Idempotency-Key that is undone is recorded, with the right key as well', async () => {
  const [graphql] = bothApis(() => gateway.url);
  const tenant = await seedTenant(gateway);
  const app = keyOf(await createApp(graphql, tenant.token));
  const wrong = { ...app, privateKey: withOtherSecret(app.privateKey) };
  const document = `mutation ($key: SignInInput!, $wallet: ResourceName!) {
    signIn(input: $key) { accessToken }
    updateWallet(input: { name: $wallet, title: "None" }) { wallet { title } }
  }`;
  const events = await recorded(tenant, async () => {
    for (const key of [app, wrong, app]) {
      const variables = { key, wallet: MISSING_WALLET };
      const header = { 'idempotency-key': 'test' };
      const { text } = await postGraphql(gateway.url, tenant.token, document, variables, header);
      expect(text).not.toContain('paw_app_');
    }
  });
  const resource = app.name;
  expect(events).toHaveLength(2);
  expect(events).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ action: 'sign_in.undo', resource, address: '127.0.0.1', count: 2 }),
      expect.objectContaining({ action: 'sign_in.fail', resource, address: '127.0.0.1', count: 1 }),
    ]),
  );
});

test('an account has a bounded number of events of failed sign-ins in a minute', async () => {
  const [graphql] = bothApis(() => gateway.url);
  const tenant = await seedTenant(gateway);
  const app = keyOf(await createApp(graphql, tenant.token));
  const wrong = { ...app, privateKey: withOtherSecret(app.privateKey) };
  const addresses = Array.from({ length: MAX_FAILURE_EVENTS + 20 }, (_, n) => `198.51.100.${n + 1}`);
  const events = await recorded(tenant, async () => {
    for (const address of addresses) {
      await postSignIn(graphql, gateway.url, tenant.token, wrong, { 'x-forwarded-for': address });
    }
  });
  expect(events).toHaveLength(MAX_FAILURE_EVENTS + 1);
  const rest = { action: 'sign_in.fail', resource: tenant.account, address: '', count: 20 };
  expect(events.filter(({ count }) => count > 1)).toMatchObject([rest]);
});

describe('a command is recorded as an act of the operator', () => {
  let tenant: Tenant;
  let app: string;
  const [graphql] = bothApis(() => gateway.url) as [Api, Api];

  beforeAll(async () => {
    tenant = await seedTenant(gateway, { projects: 2, wallets: 2 });
    app = (await createApp(graphql, tenant.token)).name;
  });

  const project = () => tenant.projects[0] ?? '';
  const wallet = () => tenant.wallets[0] ?? '';
  const signedIn = async () => {
    const key = keyOf(await createAppIn(gateway, graphql, tenant, project()));
    const token = await projectTokenOf(graphql, tenant.token, key);
    return { token, app: key.name, id: credentialParts(token).serial };
  };

  test('account create', async () => {
    const { name, defaultProject } = await run('account', 'create', '--title', 'New');
    const events = await recorded({ account: name }, async () => {});
    expect(events).toEqual([]);
    expect(await eventsOf({ account: name })).toMatchObject([
      ofOperator({ account: name }, { action: 'account.create', resource: name }),
      ofOperator({ account: name }, { action: 'project.create', resource: defaultProject }),
    ]);
  });

  test.each<[string, () => readonly string[], () => object]>([
    [
      'account suspend',
      () => [tenant.account],
      () => ({ action: 'account.suspend', resource: tenant.account }),
    ],
    [
      'account resume',
      () => [tenant.account],
      () => ({ action: 'account.resume', resource: tenant.account }),
    ],
    [
      'project update',
      () => [project(), '--title', 'T', '--description', 'D'],
      () => ({ action: 'project.update', resource: project(), fields: ['title', 'description'] }),
    ],
    [
      'wallet update',
      () => [wallet(), '--title', 'T', '--project', tenant.projects[1] ?? ''],
      () => ({ action: 'wallet.update', resource: wallet(), fields: ['title', 'project'] }),
    ],
    [
      'app update',
      () => [app, '--title', 'T'],
      () => ({ action: 'app.update', resource: app, fields: ['title'] }),
    ],
    ['app deactivate', () => [app], () => ({ action: 'app.deactivate', resource: app })],
    ['app activate', () => [app], () => ({ action: 'app.activate', resource: app })],
    ['app rotate-key', () => [app], () => ({ action: 'app.rotate_key', resource: app })],
    ['app delete', () => [app, '--yes'], () => ({ action: 'app.delete', resource: app })],
    ['wallet delete', () => [wallet(), '--yes'], () => ({ action: 'wallet.delete', resource: wallet() })],
  ])('%s', async (command, options, act) => {
    const events = await recorded(tenant, () => run(...command.split(' '), ...options()));
    expect(events).toEqual([ofOperator(tenant, act())]);
  });

  test('project create, wallet create and project delete', async () => {
    let name = '';
    expect(
      await recorded(tenant, async () => {
        ({ name } = await run('project', 'create', '--account', tenant.account, '--title', 'P'));
      }),
    ).toEqual([ofOperator(tenant, { action: 'project.create', resource: name })]);
    const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    let created = '';
    expect(
      await recorded(tenant, async () => {
        const options = ['--project', project(), '--title', 'W', '--network', 'NETWORK_POLYGON'];
        ({ name: created } = await run('wallet', 'create', ...options, '--address', address));
      }),
    ).toEqual([ofOperator(tenant, { action: 'wallet.create', resource: created })]);
    expect(await recorded(tenant, () => run('project', 'delete', name, '--yes'))).toEqual([
      ofOperator(tenant, { action: 'project.delete', resource: name }),
    ]);
  });

  test('token create', async () => {
    let token = '';
    const events = await recorded(tenant, async () => {
      const { accessToken } = await run('token', 'create', '--account', tenant.account);
      token = credentialParts(accessToken).serial;
    });
    expect(events).toEqual([ofOperator(tenant, { action: 'token.create', resource: tenant.account, token })]);
  });

  test('token revoke, with the token or the number of tokens', async () => {
    const [first, second] = [await signedIn(), await signedIn()];
    const revoke = { action: 'token.revoke' };
    expect(await recorded(tenant, () => run('token', 'revoke', '--id', first.id))).toEqual([
      ofOperator(tenant, { ...revoke, resource: first.app, token: first.id }),
    ]);
    const input = () => pawJson(['token', 'revoke'], settings(), second.token);
    expect(await recorded(tenant, input)).toEqual([
      ofOperator(tenant, { ...revoke, resource: second.app, token: second.id }),
    ]);
    const third = await signedIn();
    expect(await recorded(tenant, () => run('token', 'revoke', '--app', third.app))).toEqual([
      ofOperator(tenant, { ...revoke, resource: third.app, count: 1 }),
    ]);
    expect(await recorded(tenant, () => run('token', 'revoke', '--app', third.app))).toEqual([]);
    const { tokens } = await run('token', 'list', '--account', tenant.account, '--page-size', '100');
    expect(await recorded(tenant, () => run('token', 'revoke', '--account', tenant.account))).toEqual([
      ofOperator(tenant, { ...revoke, resource: tenant.account, count: tokens.length }),
    ]);
  });

  test('unless it changes nothing', async () => {
    const [, kept = ''] = tenant.wallets;
    const events = await recorded(tenant, async () => {
      await run('wallet', 'update', kept);
      await run('project', 'update', project());
      for (const words of [
        ['wallet', 'update', MISSING_WALLET, '--title', 'None'],
        ['app', 'rotate-key', MISSING_APP],
        ['project', 'delete', project(), '--yes'],
        ['token', 'revoke', '--id', ulidOf(MISSING_APP)],
      ]) {
        expect(await paw(words, settings())).toMatchObject({ status: 1 });
      }
    });
    expect(events).toEqual([]);
  });

  test('or changes nothing without its event', async () => {
    const [, kept = ''] = tenant.wallets;
    await withoutEvents(async () => {
      expect(await paw(['wallet', 'update', kept, '--title', 'Unrecorded'], settings())).toMatchObject({
        status: 1,
      });
      expect(await paw(['account', 'suspend', tenant.account], settings())).toMatchObject({ status: 1 });
    });
    const { wallets } = await run('wallet', 'list', '--project', project());
    expect(wallets).toMatchObject([{ name: expect.anything() }, { name: expect.anything() }]);
    expect(JSON.stringify(wallets)).not.toContain('Unrecorded');
    const { accounts } = await run('account', 'list', '--page-size', '100');
    expect(accounts.find(({ name }: { name: string }) => name === tenant.account)).toMatchObject({
      state: 'ACTIVE',
    });
  });
});
