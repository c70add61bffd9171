import { beforeAll, expect, test } from 'vitest';
import { type Gateway, seedTenant, startGateway, type Tenant, testClock } from '../../support/gateway.ts';
import { ULID } from '../../support/requests.ts';
import { addEvent } from '../../support/rows.ts';
import { commandsOn } from '../../support/run-command.ts';

const DAY_MS = 86_400_000;

let gateway: Gateway;
let tenant: Tenant;
let other: Tenant;

beforeAll(async () => {
  const clock = testClock();
  clock.advance(-2 * DAY_MS);
  gateway = await startGateway({}, clock);
  other = await seedTenant(gateway);
  clock.advance(2 * DAY_MS);
  tenant = await seedTenant(gateway, { projects: 2, wallets: 1 });
  return gateway.stop;
});

// The newest first.
const OTHER = ['token.create', 'project.create', 'account.create'];

const TENANT = ['token.create', 'wallet.create', 'project.create', 'project.create', 'account.create'];

const { run, runJson } = commandsOn(() => gateway.databaseUrl);

const list = (...options: string[]) => run('audit', 'list', ...options);

const listJson = (...options: string[]) => runJson('audit', 'list', ...options);

type Event = Readonly<Record<string, string>>;

async function actionsOf(...options: string[]): Promise<readonly (string | undefined)[]> {
  const { events } = await listJson(...options);
  return events.map(({ action }: Event) => action);
}

test('the events of one account, or of all, are listed by their time, the newest first', async () => {
  expect(await actionsOf('--account', tenant.account)).toEqual(TENANT);
  expect(await actionsOf('--account', other.account)).toEqual(OTHER);
  expect(await actionsOf()).toEqual([...TENANT, ...OTHER]);
  expect(await actionsOf('--account', `accounts/${'0'.repeat(26)}`)).toEqual([]);
});

test('a list can begin and end at a time, to the millisecond, or at an age', async () => {
  const [now, later] = [gateway.clock(), gateway.clock() + 1].map((time) => new Date(time).toISOString());
  const all = [...TENANT, ...OTHER];
  expect(await actionsOf('--since', `${now}`)).toEqual(TENANT);
  expect(await actionsOf('--since', `${later}`)).toEqual([]);
  expect(await listJson('--since', `${now}`, '--page-size', '5')).toMatchObject({ nextPageToken: '' });
  expect(await actionsOf('--since', '1970-01-01T00:00:00Z')).toEqual(all);
  expect(await actionsOf('--since', '24h')).toEqual(TENANT);
  expect(await actionsOf('--since', '3d', '--account', other.account)).toEqual(OTHER);
  expect(await actionsOf('--until', `${now}`)).toEqual(OTHER);
  expect(await actionsOf('--until', `${later}`)).toEqual(all);
  expect(await actionsOf('--until', '24h', '--page-size', '2')).toEqual(OTHER.slice(0, 2));
  expect(await actionsOf('--since', '3d', '--until', '24h', '--account', tenant.account)).toEqual([]);
});

test('a list can have one resource', async () => {
  const { wallet } = tenant;
  expect(await actionsOf('--resource', wallet)).toEqual(['wallet.create']);
  expect(await actionsOf('--resource', wallet, '--action', 'wallet.update')).toEqual([]);
  expect(await actionsOf('--resource', other.account)).toEqual(['token.create', 'account.create']);
});

test('a list can have one action, which may be rare', async () => {
  expect(await actionsOf('--action', 'wallet.create')).toEqual(['wallet.create']);
  expect(await actionsOf('--action', 'app.delete')).toEqual([]);
  const options = ['--action', 'project.create', '--account', tenant.account, '--since', '24h'];
  expect(await actionsOf(...options)).toEqual(['project.create', 'project.create']);
  const addMore = Array.from({ length: 1001 }, (_, n) => {
    const action = n === 1000 ? 'wallet.delete' : 'app.create';
    return addEvent(gateway.database, ULID, { id: `01ARZ3NDEKTSV4RRFFQ6${100_000 + n}`, action });
  });
  await Promise.all(addMore);
  const { events, nextPageToken } = await listJson('--action', 'wallet.delete', '--page-size', '1');
  expect(events).toHaveLength(1);
  expect(nextPageToken).toBe('');
});

test('the text has one line for each event, with the number of the acts that it counts', async () => {
  const account = '01ARZ3NDEKTSV4RRFFQ69G5FAW';
  const event = { id: gateway.operator.newId(), action: 'wallet.update', fields: 'title', count: 3 };
  await addEvent(gateway.database, account, event);
  expect((await list('--account', `accounts/${account}`, '--wide')).stdout).toMatch(/title +3 +1970-\S+Z\n$/);
  const { stdout, stderr } = await list('--account', tenant.account, '--page-size', '4');
  const lines = stdout.split('\n');
  expect(lines[0]).toMatch(/^TIME {15}BY +ACTION +RESOURCE$/);
  expect(lines[1]).toMatch(/^\d{4}-\S+Z {2}the operator {2}token\.create {2,}accounts\/\w{26}$/);
  expect(lines).toHaveLength(6);
  expect(stderr).toMatch(/^Next page: --page-token \S+\n$/);
  expect((await list('--action', 'app.update')).stdout).toBe('No events.\n');
});
