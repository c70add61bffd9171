import { beforeAll, describe, expect, test } from 'vitest';
import { sweepExpired } from '../../src/storage/jobs/sweep.ts';
import { bothApis, graphqlApi } from '../support/both-apis.ts';
import { seedTenant, useGateway, useTenant } from '../support/gateway.ts';
import {
  accountToken,
  authorize,
  createApp,
  credentialParts,
  graphqlBody,
  keyOf,
  mutate,
  projectTokenOf,
  resultOf,
  signIn,
  tokenNameOf,
  withOtherSecret,
} from '../support/requests.ts';
import { commandsOn } from '../support/run-command.ts';

const YEAR_MS = 31_536_000_000;

const gateway = useGateway();
const graphql = graphqlApi(() => gateway.url);
const tenant = useTenant(gateway, { wallets: 1 });

const { run, runJson, exportOf } = commandsOn(() => gateway.databaseUrl);

let owner: string;

beforeAll(async () => {
  owner = await accountToken(gateway, tenant, {}, 4 * (YEAR_MS / 1000));
});

const EVENTS = `query ($action: String, $resource: ResourceName) {
  events(first: 1, action: $action, resource: $resource) { nodes { action credential app by } }
}`;

/** Returns who did the last act, as the API and as the command say it. */
async function lastActor(resource: string, action: string) {
  const { data } = await graphqlBody(gateway.url, owner, EVENTS, { action, resource });
  const [event] = data.events.nodes;
  const options = ['--account', tenant.account, '--resource', resource, '--action', action];
  const [listed] = (await runJson('audit', 'list', ...options, '--page-size', '1')).events;
  expect(listed).toMatchObject({ action, app: event.app ?? '', by: event.by });
  return { ...event, title: listed.actorTitle };
}

/** Deletes what has expired, as servers do once a minute. */
const sweep = () =>
  sweepExpired(gateway.database, gateway.clock(), { auditDays: 0, onDeleted: () => undefined });

async function isIssued(token: string): Promise<boolean> {
  const { tokens } = await runJson('token', 'list', '--account', tenant.account, '--all');
  return tokens.some(({ id }: { id: string }) => id === credentialParts(token).id);
}

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  test('an event has the app of a token that was swept, with the title that the app has now', async () => {
    const { wallet } = tenant;
    const app = await createApp(api, owner, { title: 'Point of sale' });
    const { name } = app;
    // Equal sign-ins of a minute are one event, with the first token.
    const tokens = [];
    for (let n = 0; n < 3; n += 1) tokens.push(await projectTokenOf(api, owner, app));
    const [, , third = ''] = tokens;
    await resultOf(api.updateWallet(third, wallet, { title: 'Till', description: '' }));
    gateway.clock.advance(YEAR_MS);
    await sweep();
    expect(await isIssued(third)).toBe(false);

    const update = { credential: tokenNameOf(third), app: name, title: '' };
    const who = () => lastActor(wallet, 'wallet.update');
    expect(await who()).toMatchObject({ ...update, by: 'app Point of sale' });
    await resultOf(graphql.signIn(owner, keyOf(app)));
    const rename = { name, title: 'Till' };
    expect(await mutate(gateway.url, owner, 'updateApp', rename)).not.toHaveProperty('errors');
    expect(await who()).toMatchObject({ ...update, by: 'app Till' });
    expect(await mutate(gateway.url, owner, 'deleteApp', { name })).not.toHaveProperty('errors');
    expect(await who()).toMatchObject({ ...update, by: name });
    const { stdout } = await run('audit', 'list', '--account', tenant.account, '--wide', '--all');
    expect(stdout).toMatch(new RegExp(` {2}${name} +wallet\\.update +${wallet} .*title,description`));
    const exported = (await exportOf(tenant.account)).filter(({ resource }) => resource === wallet);
    expect(exported).toContainEqual(expect.objectContaining({ action: 'wallet.update', app: name }));
  });

  test('an event has the title of an account token that was revoked, or its name if it had none', async () => {
    const { wallet } = tenant;
    const change = (by: string, title: string) => resultOf(api.updateWallet(by, wallet, { title }));
    const deploy = await accountToken(gateway, tenant, { title: 'deploy' });
    const untitled = await accountToken(gateway, tenant);
    for (const [token, by, title] of [
      [deploy, 'token deploy', 'deploy'],
      [untitled, tokenNameOf(untitled), ''],
    ] as const) {
      gateway.clock.advance(60_000);
      await change(token, by);
      await run('token', 'revoke', '--id', credentialParts(token).id);
      expect(await isIssued(token)).toBe(false);
      const credential = tokenNameOf(token);
      expect(await lastActor(wallet, 'wallet.update')).toMatchObject({ credential, app: null, by, title });
    }
  });
});

test('an act of the operator is that of the operator, also if a token has this title', async () => {
  const { wallet } = tenant;
  expect(await lastActor(wallet, 'wallet.create')).toMatchObject({ app: null, by: 'the operator' });
  const token = await accountToken(gateway, tenant, { title: 'the operator' });
  gateway.clock.advance(60_000);
  await resultOf(graphql.updateWallet(token, wallet, { title: 'Till' }));
  expect(await lastActor(wallet, 'wallet.update')).toMatchObject({ by: 'token the operator' });
});

test('a sign-in is by the token of its request, by OAuth by the app itself, and a failed one without a token by nobody', async () => {
  const deploy = await accountToken(gateway, tenant, { title: 'deploy' });
  const app = await createApp(graphql, deploy, { title: 'Till' });
  const wrong = { ...keyOf(app), privateKey: withOtherSecret(app.privateKey) };
  const who = async (action: string) => {
    const { app: name, by } = await lastActor(app.name, action);
    return [name, by];
  };
  await signIn(graphql, deploy, app);
  expect(await who('sign_in.succeed')).toEqual([null, 'token deploy']);
  await graphql.signIn(deploy, wrong);
  expect(await who('sign_in.fail')).toEqual([null, 'token deploy']);
  gateway.clock.advance(60_000);
  expect((await authorize(gateway, app)).status).toBe(200);
  expect(await who('sign_in.succeed')).toEqual([app.name, 'app Till']);
  expect((await authorize(gateway, wrong)).status).toBe(401);
  expect(await who('sign_in.fail')).toEqual([null, 'an unknown client']);
});

test('the event of addresses names their network', async () => {
  const { account } = await seedTenant(gateway, { addresses: 3 });
  const network = ['--network', 'NETWORK_ETHEREUM'];
  const file = (await runJson('address', 'list', '--account', account, ...network)).addresses;
  expect(file).toHaveLength(3);
  await run('address', 'delete', '--account', account, '--all', '--yes');
  const { events } = await runJson('audit', 'list', '--account', account, '--resource', account);
  const fieldsOf = (name: string) => events.find(({ action }: { action: string }) => action === name)?.fields;
  for (const action of ['address.add', 'address.delete'])
    expect(fieldsOf(action)).toEqual(['NETWORK_ETHEREUM']);
});

test('token list has the title of the app of a token, and events can be checked', async () => {
  const app = await createApp(graphql, owner, { title: 'Kiosk' });
  const token = await projectTokenOf(graphql, owner, app);
  const words = ['token', 'list', '--account', tenant.account, '--all'];
  const { stdout } = await run(...words);
  expect(stdout).toMatch(/^ID {26}TITLE OR APP/);
  expect(stdout).toMatch(new RegExp(`^${credentialParts(token).id}  Kiosk `, 'm'));
  expect((await run(...words, '--wide')).stdout).toContain(app.name);
  expect(await runJson('check')).toMatchObject({ problemCount: 0 });
});
