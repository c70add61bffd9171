import { beforeAll, describe, expect, test } from 'vitest';
import { AuditTrail, filled, ofOperator, type Scene } from '../../support/audit-trail.ts';
import { graphqlApi } from '../../support/both-apis.ts';
import {
  createAppIn,
  credentialParts,
  keyOf,
  MISSING_APP,
  MISSING_WALLET,
  projectTokenOf,
  ulidOf,
} from '../../support/requests.ts';
import { paw } from '../../support/run-command.ts';

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

const nameOf = (collection: string) =>
  expect.stringMatching(new RegExp(`^${collection}/[0-7][0-9A-HJKMNP-TV-Z]{25}$`));

const audit = new AuditTrail();
const { gateway } = audit;
const graphql = graphqlApi(() => gateway.url);

const settings = () => ({ DATABASE_URL: gateway.databaseUrl });

/** What the texts of commands say beside the name of the resource. */
const TEXTS: Readonly<Record<string, RegExp>> = {
  'account.suspend': /^accounts\/\w{26} is now suspended\.$/m,
  'account.resume': /^accounts\/\w{26} is now active\.$/m,
  'app.activate': /^apps\/\w{26} is now active\.$/m,
  'app.deactivate': /^apps\/\w{26} is now inactive\.$/m,
};

describe('a command is recorded as an act of the operator', () => {
  let tenant: Scene;
  let other: Scene;

  beforeAll(async () => {
    tenant = await audit.seedScene();
    other = await audit.seedScene();
  });

  const signedIn = async () => {
    const key = keyOf(await createAppIn(gateway, graphql, tenant, tenant.projects[0]));
    const token = await projectTokenOf(graphql, tenant.token, key);
    return { token, app: key.name, id: credentialParts(token).id };
  };

  test('account create', async () => {
    const created = await audit.run(['account', 'create', '--title', 'New']);
    const { name: account, defaultProject } = created;
    expect(created).toMatchObject({
      name: nameOf('accounts'),
      title: 'New',
      defaultProject: nameOf('projects'),
    });
    expect(await audit.eventsOf({ account })).toMatchObject([
      ofOperator({ account }, { action: 'account.create', resource: account }),
      ofOperator({ account }, { action: 'project.create', resource: defaultProject }),
    ]);
  });

  const wallet = `wallet create --project $project --title W --address ${ADDRESS.toLowerCase()} --network`;
  const rinkeby = { title: 'W', address: ADDRESS, network: 'NETWORK_ETHEREUM_RINKEBY', password: '' };

  test.each<[command: string, resource: string, json?: object, fields?: string[]]>([
    ['account suspend $account', '$account', { state: 'SUSPENDED' }],
    ['account resume $account', '$account', { state: 'ACTIVE' }],
    [
      `project create --account $account --title ${'🧭'.repeat(200)}`,
      '$name',
      {
        ...{ name: nameOf('projects'), title: '🧭'.repeat(200), description: '' },
        imageCoverUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:4000\/covers\/\w{26}\.svg$/),
        imageCoverCid: expect.stringMatching(/^bafkrei[a-z2-7]{52}$/),
      },
    ],
    ['project update $project --title T --description D', '$project', {}, ['title', 'description']],
    [`${wallet} NETWORK_ETHEREUM_RINKEBY --description D`, '$name', { ...rinkeby, description: 'D' }],
    [`${wallet} NETWORK_ETHEREUM_RINKERBY`, '$name', rinkeby],
    ['wallet update $wallet --title T --project $other', '$wallet', {}, ['title', 'project']],
    [
      'app create --project $project --title New',
      '$name',
      {
        name: nameOf('apps'),
        title: 'New',
        privateKey: expect.stringMatching(/^paw_key_/),
        active: true,
      },
    ],
    ['app update $app --title T', '$app', {}, ['title']],
    ['app deactivate $app', '$app', { title: 'T', privateKey: '', active: false }],
    ['app activate $app', '$app', { title: 'T', privateKey: '', active: true }],
    ['app rotate-key $app', '$app'],
    ['app delete $app --yes', '$app'],
    ['wallet archive $wallet', '$wallet'],
    ['wallet unarchive $wallet', '$wallet'],
    ['wallet delete $wallet --yes', '$wallet'],
    ['project delete $other --yes', '$other'],
  ])('%s, which prints the resource', async (command, resource, json = {}, fields = []) => {
    const words = filled(command, tenant).split(' ');
    const { events, result } = await audit.recorded(tenant, () => audit.run(words));
    const action = words.slice(0, 2).join('.').replace('-', '_');
    const name = filled(resource, tenant, result);
    expect(events).toEqual([ofOperator(tenant, { action, resource: name, fields })]);
    expect(result).toMatchObject({ name, ...json });
    const text = await paw(filled(command, other).split(' '), settings());
    expect(text).toEqual({
      status: 0,
      stdout: expect.stringMatching(TEXTS[action] ?? /\b[a-z]+s\/\w{26}\b/),
      stderr: '',
    });
  });

  test('token create', async () => {
    const words = ['token', 'create', '--account', tenant.account];
    const { events, result } = await audit.recorded(tenant, () => audit.run(words));
    const { id: token } = credentialParts(result.accessToken);
    expect(events).toEqual([ofOperator(tenant, { action: 'token.create', resource: tenant.account, token })]);
    expect(result).toEqual({
      id: token,
      title: '',
      accessToken: expect.any(String),
      expireTime: expect.any(String),
    });
    const { stdout } = await paw(words, settings());
    expect(stdout).toMatch(/^paw_acct_\w+\nExpires in 90 days, at \d{4}-\d\d-\d\dT/);
  });

  test('token revoke, with the token or the number of tokens', async () => {
    const [first, second, third] = [await signedIn(), await signedIn(), await signedIn()];
    const expectRevoked = async (options: string[], act: object, input = '') => {
      const words = ['token', 'revoke', ...options];
      const { events } = await audit.recorded(tenant, () => audit.run(words, input));
      expect(events).toEqual([ofOperator(tenant, { action: 'token.revoke', ...act })]);
    };
    await expectRevoked(['--id', first.id], { resource: first.app, token: first.id });
    await expectRevoked([], { resource: second.app, token: second.id }, second.token);
    await expectRevoked(['--app', third.app], { resource: third.app, count: 1 });
    const { tokens } = await audit.run(['token', 'list', '--account', tenant.account, '--all']);
    const options = ['--account', tenant.account];
    await expectRevoked(options, { resource: tenant.account, count: tokens.length });
  });

  test('unless it changes nothing', async () => {
    const { projects, wallets } = tenant;
    await audit.run(['token', 'revoke', '--account', tenant.account]);
    const { events } = await audit.recorded(tenant, async () => {
      await audit.run(['wallet', 'update', wallets[1] ?? '']);
      await audit.run(['project', 'update', projects[0] ?? '']);
      await audit.run(['token', 'revoke', '--account', tenant.account]);
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
    await audit.withoutEvents(async () => {
      for (const words of [
        ['wallet', 'update', wallets[1] ?? '', '--title', 'Unrecorded'],
        ['account', 'suspend', account],
      ]) {
        expect(await paw(words, settings())).toMatchObject({ status: 1 });
      }
    });
    const list = await audit.run(['wallet', 'list', '--project', projects[0] ?? '']);
    expect(JSON.stringify(list)).not.toContain('Unrecorded');
    const { accounts } = await audit.run(['account', 'list', '--page-size', '100']);
    expect(accounts).toContainEqual(expect.objectContaining({ name: account, state: 'ACTIVE' }));
  });
});
