import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import {
  type AppKey,
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
  graphqlOutcome,
  type Outcome,
  postGraphql,
} from '../../support/apis.ts';
import { seedTenant, startGateway, type Tenant, useGateway } from '../../support/gateway.ts';
import { paw, pawJson } from '../../support/paw.ts';

const MINUTE_MS = 60_000;

/** Bounds the events of failed sign-ins of an account in a minute. */
const MAX_FAILURE_EVENTS = 100;

const gateway = useGateway({ PAW_TRUSTED_PROXIES: '127.0.0.1' });
const graphql = graphqlApi(() => gateway.url);

// The counted events of one test are not those of another.
beforeEach(() => gateway.clock.advance(MINUTE_MS));

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

const settings = () => ({ DATABASE_URL: gateway.databaseUrl });

const run = (...words: string[]) => pawJson(words, settings());

/** An event as `audit list` prints it. */
type Event = Readonly<Record<string, unknown>> & { readonly id: string; readonly count: number };

/** The parts of an event that follow from the act. */
type Act = Readonly<Record<string, unknown>> & { readonly action: string };

/** An account of the tests, with an app. */
type Scene = Tenant & { readonly app: AppKey };

/** Returns the events of an account, the oldest first. */
async function eventsOf({ account }: Pick<Tenant, 'account'>): Promise<Event[]> {
  const all: Event[] = [];
  for (let pageToken = ''; ; ) {
    const page = ['--page-size', '100', '--page-token', pageToken];
    const { events, nextPageToken } = await run('audit', 'list', '--account', account, ...page);
    all.push(...events);
    if (nextPageToken === '') return all.toReversed();
    pageToken = nextPageToken;
  }
}

/** Does something, and returns its result with the events of an account that it adds or changes, without their ids. */
async function recorded<T>(tenant: Pick<Tenant, 'account'>, work: () => Promise<T>) {
  const before = (await eventsOf(tenant)).map((event) => JSON.stringify(event));
  const result = await work();
  const after = await eventsOf(tenant);
  const added = after.filter((event) => !before.includes(JSON.stringify(event)));
  return { result, events: added.map(({ id: _, ...fields }) => fields) };
}

const thisMinute = () => new Date(gateway.clock() - (gateway.clock() % MINUTE_MS)).toISOString();

/** The event of an act of a client with a token. */
function ofClient({ account }: Tenant, token: string, { response }: Outcome<unknown>, act: Act) {
  const isCounted = ['app.update', 'wallet.update'].includes(act.action);
  return {
    time: isCounted ? thisMinute().replace('.000Z', '.001Z') : new Date(gateway.clock()).toISOString(),
    account,
    token: '',
    fields: [],
    count: 1,
    actor: 'credential',
    credential: credentialParts(token).serial,
    address: '127.0.0.1',
    requestId: response.headers.get('x-request-id'),
    ...act,
  };
}

/** The event of an act of the operator. */
function ofOperator({ account }: Pick<Tenant, 'account'>, act: Act) {
  const nobody = { actor: 'operator', credential: '', address: '', requestId: '' };
  const time = expect.stringMatching(/^\d{4}-/);
  return { time, account, token: '', fields: [], count: 1, ...nobody, ...act };
}

async function seedScene(): Promise<Scene> {
  const tenant = await seedTenant(gateway, { projects: 2, wallets: 2 });
  return { ...tenant, app: keyOf(await createApp(graphql, tenant.token)) };
}

/** Runs a mutation of GraphQL with an input. */
function mutate(mutation: string, token: string, input: object) {
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input!`;
  const document = `mutation ($input: ${type}) { ${mutation}(input: $input) { clientMutationId } }`;
  return graphqlOutcome(gateway.url, token, document, { input }, () => ({}));
}

const wrongKeyOf = ({ name, privateKey }: AppKey) => ({ name, privateKey: withOtherSecret(privateKey) });

/** Replaces `$` and a name by the name of the resource. */
function filled<T>(template: T, { account, projects, wallets, app }: Scene, result: object = {}): T {
  const names = { account, project: projects[0], other: projects[1], wallet: wallets[0], app: app.name };
  const values: Readonly<Record<string, unknown>> = { ...result, ...names };
  return JSON.parse(JSON.stringify(template).replace(/\$(\w+)/g, (_, name) => String(values[name])));
}

/** An operation, and the acts that are recorded of it. */
type Recorded = readonly [
  what: string,
  ask: (api: Api, scene: Scene, token: string) => Promise<Outcome<object>>,
  acts: readonly Act[],
];

const WALLET_UPDATE = { action: 'wallet.update', resource: '$wallet' };
const APP_UPDATE = { action: 'app.update', resource: '$app', fields: ['title'] };

const BY_BOTH_APIS: readonly Recorded[] = [
  [
    'the creation of an app',
    (api, _, token) => api.createApp(token, { title: 'Till', active: true }),
    [{ action: 'app.create', resource: '$name' }],
  ],
  [
    'a sign-in, with the public id of the token that it issues,',
    (api, { app }, token) => api.signIn(token, app),
    [{ action: 'sign_in.succeed', resource: '$app', token: '$serial' }],
  ],
  [
    'an update of one field of a wallet',
    (api, { wallets: [name = ''] }, token) => api.updateWallet(token, name, { title: 'Wallet 1' }),
    [{ ...WALLET_UPDATE, fields: ['title'] }],
  ],
  [
    'an update of all fields of a wallet, with their names,',
    (api, { projects: [project], wallets: [name = ''] }, token) => {
      const texts = { title: 'All', description: '', network: 'NETWORK_POLYGON', password: PASSWORD };
      return api.updateWallet(token, name, { ...texts, project });
    },
    [{ ...WALLET_UPDATE, fields: ['title', 'description', 'project', 'network', 'password'] }],
  ],
];

const BY_GRAPHQL: readonly Recorded[] = [
  [
    'an update of the title of an app',
    (_, { app: { name } }, token) => mutate('updateApp', token, { name, title: 'Till' }),
    [APP_UPDATE],
  ],
  [
    'a deactivation of an app',
    (_, { app: { name } }, token) => mutate('updateApp', token, { name, active: false }),
    [{ action: 'app.deactivate', resource: '$app' }],
  ],
  [
    'an update of the title of an app with its activation',
    (_, { app: { name } }, token) => mutate('updateApp', token, { name, title: 'Till', active: true }),
    [APP_UPDATE, { action: 'app.activate', resource: '$app' }],
  ],
  [
    'a rotation of a key',
    (_, { app: { name } }, token) => mutate('rotateAppKey', token, { name, gracePeriod: 604_800 }),
    [{ action: 'app.rotate_key', resource: '$app' }],
  ],
];

describe.each([
  { api: graphql, operations: [...BY_BOTH_APIS, ...BY_GRAPHQL] },
  { api: bothApis(() => gateway.url)[1], operations: BY_BOTH_APIS },
])('by $api.name', ({ api, operations }) => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await seedScene();
  });

  test.each(operations)('%s is recorded', async (_, ask, acts) => {
    const { result, events } = await recorded(scene, () => ask(api, scene, scene.token));
    const value: { accessToken?: string } = { ...result.value };
    const serial = value.accessToken && credentialParts(value.accessToken).serial;
    const expected = filled(acts, scene, { ...value, serial });
    expect(events).toEqual(expected.map((act) => ofClient(scene, scene.token, result, act)));
  });

  test('an act with a project token is recorded with the public id of the token', async () => {
    const token = await projectToken(gateway, scene);
    const [name = ''] = scene.wallets;
    const { result, events } = await recorded(scene, () => api.updateWallet(token, name, { title: 'Own' }));
    const act = { ...filled(WALLET_UPDATE, scene), fields: ['title'] };
    expect(events).toEqual([ofClient(scene, token, result, act)]);
  });

  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
  ])(
    'an act for %s, which a trusted proxy forwards, is recorded with the address %s',
    async (ip, address) => {
      const header = { 'x-forwarded-for': ip };
      const ask = () => postSignIn(api, gateway.url, scene.token, scene.app, header);
      expect((await recorded(scene, ask)).events).toMatchObject([{ action: 'sign_in.succeed', address }]);
    },
  );

  test('what changes nothing is not recorded', async () => {
    const { token, wallets } = scene;
    const [wallet = ''] = wallets;
    const { events, result } = await recorded(scene, async () => [
      await reasonOf(api.updateWallet(token, wallet, {})),
      await reasonOf(api.listProjects(token)),
      await reasonOf(api.updateWallet(token, MISSING_WALLET, { title: 'None' })),
      await reasonOf(api.updateWallet(token, wallet, { title: '' })),
      await reasonOf(api.updateWallet(token, wallet, { project: MISSING_PROJECT })),
      await reasonOf(api.createApp(token, { title: '', active: true })),
      await reasonOf(mutate('updateApp', token, { name: scene.app.name })),
      await reasonOf(mutate('rotateAppKey', token, { name: MISSING_APP })),
    ]);
    const refused = ['RESOURCE_NOT_FOUND', 'INVALID_FIELD', 'INVALID_FIELD', 'INVALID_FIELD'];
    expect(result).toEqual(['ok', 'ok', ...refused, 'ok', 'RESOURCE_NOT_FOUND']);
    expect(events).toEqual([]);
  });

  test('updates of the same fields by one credential within a minute are one event with their number', async () => {
    const { account, token, wallets } = scene;
    const [wallet = ''] = wallets;
    const { accessToken } = await run('token', 'create', '--account', account);
    const update = (by: string, changes: object) => () => resultOf(api.updateWallet(by, wallet, changes));
    const { events } = await recorded(scene, async () => {
      for (const title of ['One', 'Two', 'Three']) await update(token, { title })();
      await update(token, { title: 'Four', description: 'Four' })();
      await update(accessToken, { title: 'Five' })();
    });
    const act = { ...filled(WALLET_UPDATE, scene), fields: ['title'] };
    const [credential, other] = [token, accessToken].map((each) => credentialParts(each).serial);
    expectEvents(events, [
      { ...act, credential, count: 3 },
      { ...act, fields: ['title', 'description'], credential, count: 1 },
      { ...act, credential: other, count: 1 },
    ]);
    gateway.clock.advance(MINUTE_MS);
    const later = await recorded(scene, update(token, { title: 'Six' }));
    expect(later.events).toMatchObject([{ ...act, count: 1 }]);
  });

  test('failed sign-ins of one minute, app and address are one event with their number', async () => {
    const { account, token, app } = scene;
    const { accessToken } = await run('token', 'create', '--account', account);
    const inactive = keyOf(await createApp(api, token, { active: false }));
    const failure = (count: number, { name }: AppKey) => ({
      time: thisMinute(),
      action: 'sign_in.fail',
      resource: name,
      count,
    });
    const fail = (by: string, key: AppKey) => recorded(scene, () => api.signIn(by, key));
    const { result, events } = await fail(token, wrongKeyOf(app));
    expect(events).toEqual([ofClient(scene, token, result, failure(1, app))]);
    // The credential and the request are those of the first.
    expect((await fail(accessToken, wrongKeyOf(app))).events).toEqual([
      ofClient(scene, token, result, failure(2, app)),
    ]);
    const header = { 'x-forwarded-for': '192.0.2.7' };
    const elsewhere = () => postSignIn(api, gateway.url, token, wrongKeyOf(app), header);
    expect((await recorded(scene, elsewhere)).events).toMatchObject([
      { ...failure(1, app), address: '192.0.2.7' },
    ]);
    expect((await fail(token, inactive)).events).toMatchObject([failure(1, inactive)]);
    gateway.clock.advance(MINUTE_MS);
    expect((await fail(token, wrongKeyOf(app))).events).toMatchObject([failure(1, app)]);
  });

  test('failed sign-ins to apps that do not exist are one event, which names the account', async () => {
    const other = await createApp(api, (await seedTenant(gateway)).token);
    const { privateKey } = scene.app;
    const { events } = await recorded(scene, async () => {
      for (const name of [MISSING_APP, `apps/${ULID}`, other.name]) {
        expect(await reasonOf(api.signIn(scene.token, { name, privateKey }))).toBe('INVALID_CREDENTIALS');
      }
    });
    expect(events).toMatchObject([{ action: 'sign_in.fail', resource: scene.account, count: 3 }]);
  });

  test('a failed sign-in of a request with an Idempotency-Key is recorded, though the request is undone', async () => {
    const inactive = keyOf(await createApp(api, scene.token, { active: false }));
    const header = { 'idempotency-key': 'sign-in' };
    const { events } = await recorded(scene, async () => {
      for (const key of [wrongKeyOf(scene.app), inactive]) {
        await postSignIn(api, gateway.url, scene.token, key, header);
      }
    });
    const failure = { action: 'sign_in.fail', count: 1 };
    expectEvents(events, [
      { ...failure, resource: scene.app.name },
      { ...failure, resource: inactive.name },
    ]);
  });

  test('without its event nothing is changed', async () => {
    const { token, app, wallets } = scene;
    const [wallet = ''] = wallets;
    const { title } = await resultOf(api.updateWallet(token, wallet, {}));
    const counts = async () => [await countOf('app'), await countOf('token')];
    const before = await counts();
    const changes = { title: 'Unrecorded' };
    await withoutEvents(async () => {
      expect(await reasonOf(api.updateWallet(token, wallet, changes))).toBe('INTERNAL');
      expect(await reasonOf(api.createApp(token, { ...changes, active: true }))).toBe('INTERNAL');
      expect(await reasonOf(api.signIn(token, app))).toBe('INTERNAL');
    });
    expect(await resultOf(api.updateWallet(token, wallet, {}))).toMatchObject({ title });
    expect(await counts()).toEqual(before);
    expect(await reasonOf(api.updateWallet(token, wallet, { title: 'Recorded' }))).toBe('ok');
  });
});

test('a sign-out is recorded with the public id of the token', async () => {
  const tenant = await seedTenant(gateway);
  const { accessToken } = await run('token', 'create', '--account', tenant.account);
  const { result, events } = await recorded(tenant, () => mutate('signOut', accessToken, {}));
  const token = credentialParts(accessToken).serial;
  const act = { action: 'sign_out', resource: tenant.account, token };
  expect(events).toEqual([ofClient(tenant, accessToken, result, act)]);
});

test('an act whose client has gone is recorded with its address, also without a log of requests', async () => {
  const log = { PAW_LOG_REQUESTS: 'none' };
  const silent = await startGateway({ ...log, DATABASE_URL: gateway.databaseUrl }, gateway.clock);
  onTestFinished(silent.stop);
  const { app, ...tenant } = await seedScene();
  const held = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holder = gateway.database.transaction(async (transaction) => {
    await transaction.write('UPDATE app SET active = active WHERE id = $1', [ulidOf(app.name)]);
    locked.resolve();
    await held.promise;
  });
  await locked.promise;
  const query = `mutation { updateApp(input: { name: "${app.name}", title: "Till" }) { app { name } } }`;
  const body = JSON.stringify({ query });
  const socket = connect(Number(new URL(silent.url).port), '127.0.0.1');
  socket.write(
    'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
      `Authorization: Bearer ${tenant.token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  // Meanwhile, the update has begun to wait for the lock.
  const list = graphqlApi(() => silent.url);
  for (let times = 0; times < 5; times += 1) await resultOf(list.listProjects(tenant.token));
  socket.resume().end();
  // The server has closed its side.
  await once(socket, 'close');
  held.resolve();
  await holder;
  const update = async () => (await eventsOf(tenant)).filter(({ action }) => action === 'app.update');
  const expected = [{ resource: app.name, address: '127.0.0.1' }];
  await expect.poll(update, { timeout: 20_000 }).toMatchObject(expected);
});

test('each sign-in of a request with an Idempotency-Key that is undone is recorded, with the right key as well', async () => {
  const scene = await seedScene();
  const document = `mutation ($key: SignInInput!, $wallet: ResourceName!) {
    signIn(input: $key) { accessToken }
    updateWallet(input: { name: $wallet, title: "None" }) { wallet { title } }
  }`;
  const { events } = await recorded(scene, async () => {
    for (const key of [scene.app, wrongKeyOf(scene.app), scene.app]) {
      const variables = { key, wallet: MISSING_WALLET };
      const header = { 'idempotency-key': 'test' };
      const { text } = await postGraphql(gateway.url, scene.token, document, variables, header);
      expect(text).not.toContain('paw_app_');
    }
  });
  const failure = { resource: scene.app.name, address: '127.0.0.1' };
  expectEvents(events, [
    { ...failure, action: 'sign_in.undo', count: 2 },
    { ...failure, action: 'sign_in.fail', count: 1 },
  ]);
});

test('an account has a bounded number of events of failed sign-ins in a minute', async () => {
  const scene = await seedScene();
  const addresses = Array.from({ length: MAX_FAILURE_EVENTS + 20 }, (_, n) => `198.51.100.${n + 1}`);
  const { events } = await recorded(scene, async () => {
    for (const address of addresses) {
      const header = { 'x-forwarded-for': address };
      await postSignIn(graphql, gateway.url, scene.token, wrongKeyOf(scene.app), header);
    }
  });
  expect(events).toHaveLength(MAX_FAILURE_EVENTS + 1);
  const rest = { action: 'sign_in.fail', resource: scene.account, address: '', count: 20 };
  expect(events.filter(({ count }) => count > 1)).toMatchObject([rest]);
});

describe('a command is recorded as an act of the operator', () => {
  let tenant: Scene;

  beforeAll(async () => {
    tenant = await seedScene();
  });

  const signedIn = async () => {
    const key = keyOf(await createAppIn(gateway, graphql, tenant, tenant.projects[0]));
    const token = await projectTokenOf(graphql, tenant.token, key);
    return { token, app: key.name, id: credentialParts(token).serial };
  };

  test('account create', async () => {
    const { name: account, defaultProject } = await run('account', 'create', '--title', 'New');
    expect(await eventsOf({ account })).toMatchObject([
      ofOperator({ account }, { action: 'account.create', resource: account }),
      ofOperator({ account }, { action: 'project.create', resource: defaultProject }),
    ]);
  });

  test.each([
    ['account suspend $account', '$account'],
    ['account resume $account', '$account'],
    ['project create --account $account --title P', '$name'],
    ['project update $project --title T --description D', '$project', ['title', 'description']],
    [`wallet create --project $project --title W --network NETWORK_POLYGON --address ${ADDRESS}`, '$name'],
    ['wallet update $wallet --title T --project $other', '$wallet', ['title', 'project']],
    ['app update $app --title T', '$app', ['title']],
    ['app deactivate $app', '$app'],
    ['app activate $app', '$app'],
    ['app rotate-key $app', '$app'],
    ['app delete $app --yes', '$app'],
    ['wallet delete $wallet --yes', '$wallet'],
    ['project delete $other --yes', '$other'],
  ])('%s', async (command, resource, fields = []) => {
    const words = filled(command, tenant).split(' ');
    const { events, result } = await recorded(tenant, () => run(...words));
    const action = words.slice(0, 2).join('.').replace('-', '_');
    expect(events).toEqual([
      ofOperator(tenant, { action, resource: filled(resource, tenant, result), fields }),
    ]);
  });

  test('token create', async () => {
    const create = () => run('token', 'create', '--account', tenant.account);
    const { events, result } = await recorded(tenant, create);
    const token = credentialParts(result.accessToken).serial;
    expect(events).toEqual([ofOperator(tenant, { action: 'token.create', resource: tenant.account, token })]);
  });

  test('token revoke, with the token or the number of tokens', async () => {
    const tokens = [await signedIn(), await signedIn(), await signedIn()] as const;
    const [first, second, third] = tokens;
    const act = { action: 'token.revoke' };
    const revoke = async (...options: string[]) =>
      (await recorded(tenant, () => run('token', 'revoke', ...options))).events;
    expect(await revoke('--id', first.id)).toEqual([
      ofOperator(tenant, { ...act, resource: first.app, token: first.id }),
    ]);
    const input = () => pawJson(['token', 'revoke'], settings(), second.token);
    expect((await recorded(tenant, input)).events).toEqual([
      ofOperator(tenant, { ...act, resource: second.app, token: second.id }),
    ]);
    expect(await revoke('--app', third.app)).toEqual([
      ofOperator(tenant, { ...act, resource: third.app, count: 1 }),
    ]);
    expect(await revoke('--app', third.app)).toEqual([]);
    const left = (await run('token', 'list', '--account', tenant.account, '--page-size', '100')).tokens;
    expect(await revoke('--account', tenant.account)).toEqual([
      ofOperator(tenant, { ...act, resource: tenant.account, count: left.length }),
    ]);
  });

  test('unless it changes nothing', async () => {
    const { projects, wallets } = tenant;
    const { events } = await recorded(tenant, async () => {
      await run('wallet', 'update', wallets[1] ?? '');
      await run('project', 'update', projects[0] ?? '');
      for (const words of [
        ['wallet', 'update', MISSING_WALLET, '--title', 'None'],
        ['app', 'rotate-key', MISSING_APP],
        ['project', 'delete', projects[0] ?? '', '--yes'],
        ['token', 'revoke', '--id', ulidOf(MISSING_APP)],
      ]) {
        expect(await paw(words, settings())).toMatchObject({ status: 1 });
      }
    });
    expect(events).toEqual([]);
  });

  test('or changes nothing without its event', async () => {
    const { account, projects, wallets } = tenant;
    await withoutEvents(async () => {
      for (const words of [
        ['wallet', 'update', wallets[1] ?? '', '--title', 'Unrecorded'],
        ['account', 'suspend', account],
      ]) {
        expect(await paw(words, settings())).toMatchObject({ status: 1 });
      }
    });
    const list = await run('wallet', 'list', '--project', projects[0] ?? '');
    expect(JSON.stringify(list)).not.toContain('Unrecorded');
    const { accounts } = await run('account', 'list', '--page-size', '100');
    expect(accounts).toContainEqual(expect.objectContaining({ name: account, state: 'ACTIVE' }));
  });
});

/** Expects these events, in any order. */
function expectEvents(events: readonly object[], expected: readonly object[]): void {
  expect(events).toHaveLength(expected.length);
  expect(events).toEqual(expect.arrayContaining(expected.map((each) => expect.objectContaining(each))));
}

async function countOf(table: string): Promise<number> {
  return (await gateway.database.read(`SELECT id FROM ${table}`)).length;
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
