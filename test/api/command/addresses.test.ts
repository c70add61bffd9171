import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importAccount } from '../../../src/operator/import-account.ts';
import { registerWallet } from '../../../src/operator/register-wallet.ts';
import { addAddresses } from '../../../src/operator/supply-addresses.ts';
import { graphqlApi } from '../../support/both-apis.ts';
import { textOf } from '../../support/engine.ts';
import {
  addressLines,
  addressOf,
  NETWORK,
  seedTenant,
  type Tenant,
  testFolder,
  useGateway,
} from '../../support/gateway.ts';
import { createApp, mutate, payloadOf } from '../../support/requests.ts';
import { addWallets, eventsOf, rowsOf } from '../../support/rows.ts';
import { commandsOn, paw, startPaw } from '../../support/run-command.ts';

const gateway = useGateway();

const { run, runJson, exportOf } = commandsOn(() => gateway.databaseUrl);

const CHECKSUMMED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

const poolOf = ({ account }: Tenant, network = NETWORK) => ['--account', account, '--network', network];

/** Runs a command on the addresses of a tenant with these lines on standard input. */
const withLines = (words: string[], lines: readonly string[]) =>
  paw(words, { DATABASE_URL: gateway.databaseUrl }, lines.join('\n'));

const add = (tenant: Tenant, lines: readonly string[], network?: string) =>
  withLines(['address', 'add', ...poolOf(tenant, network)], lines);

/** Returns the addresses that are left, the next one first. */
async function left(tenant: Tenant): Promise<readonly string[]> {
  const { addresses } = await runJson('address', 'list', ...poolOf(tenant), '--all');
  return addresses.map(({ address }: { address: string }) => address);
}

async function createWallet({ token }: Tenant): Promise<string> {
  const input = { title: 'Till', network: NETWORK };
  const { wallet } = await payloadOf(gateway.url, token, 'createWallet', input, 'wallet { address }');
  return wallet.address;
}

/** Returns why the creation of a wallet is refused. */
async function refusal({ token }: Tenant): Promise<string> {
  const { errors } = await mutate(
    gateway.url,
    token,
    'createWallet',
    { title: 'Till', network: NETWORK },
    'wallet { address }',
  );
  return errors[0].extensions.reason;
}

test('addresses of a file and of standard input are listed with their checksums in the order in which wallets get them', async () => {
  const tenant = await seedTenant(gateway);
  const file = join(testFolder(), 'addresses.txt');
  writeFileSync(file, `\ufeff${CHECKSUMMED.toLowerCase()}\r\n\n ${addressOf(2)}\t\n`);
  const words = ['address', 'add', ...poolOf(tenant)];
  expect(await run(...words, file)).toEqual({ status: 0, stdout: 'Added 2 addresses.\n', stderr: '' });
  expect(await add(tenant, [addressOf(1)])).toMatchObject({ stdout: 'Added 1 address.\n' });
  expect(await left(tenant)).toEqual([CHECKSUMMED, addressOf(2), addressOf(1)]);
  expect(await createWallet(tenant)).toBe(CHECKSUMMED);
  const exported = (await exportOf(tenant.account)).filter(({ type }) => type === 'address');
  expect(exported).toEqual([2, 1].map((n) => ({ type: 'address', network: NETWORK, address: addressOf(n) })));
  const added = { action: 'address.add', resource: tenant.account, count: 2 };
  const events = await eventsOf(gateway.database, tenant.account);
  expect(events).toContainEqual(expect.objectContaining(added));
});

test('every line at fault is named, and nothing is added', async () => {
  const tenant = await seedTenant(gateway, { wallets: 1 });
  await add(tenant, [addressOf(7)], 'NETWORK_POLYGON');
  const before = await textOf(gateway.database);
  const wrong = CHECKSUMMED.replace('A', 'a');
  const malformed = await add(tenant, [addressOf(2), 'nonsense', wrong, addressOf(2)]);
  expect(malformed.status).toBe(2);
  for (const part of ['line 2: Must', 'line 3: Must', 'line 4: Must not repeat line 1.']) {
    expect(malformed.stderr).toContain(part);
  }
  // The address of a wallet, and one that is left for another network.
  const used = await add(tenant, [addressOf(2), addressOf(1), addressOf(7)]);
  expect(used.status).toBe(2);
  for (const part of [`line 2: ${addressOf(1)}: Must`, `line 3: ${addressOf(7)}: Must`]) {
    expect(used.stderr).toContain(part);
  }
  expect(used.stderr).not.toContain('line 1');
  expect(await textOf(gateway.database)).toBe(before);
});

test('deleted addresses are given to no wallet, and one that is not left is named and keeps all', async () => {
  const tenant = await seedTenant(gateway);
  await add(tenant, [1, 2, 3].map(addressOf));
  await add(tenant, [addressOf(4)], 'NETWORK_POLYGON');
  const words = ['address', 'delete', ...poolOf(tenant), '--yes'];
  const before = await textOf(gateway.database);
  const refused = await withLines(words, [addressOf(1), addressOf(4), addressOf(5)]);
  expect(refused).toMatchObject({ status: 2, stdout: '' });
  for (const part of [`line 2: ${addressOf(4)}: Must`, `line 3: ${addressOf(5)}: Must`]) {
    expect(refused.stderr).toContain(part);
  }
  expect(await textOf(gateway.database)).toBe(before);
  expect(await withLines(words, [addressOf(1), addressOf(3)])).toMatchObject({
    status: 0,
    stdout: 'Deleted 2 addresses.\n',
  });
  expect(await createWallet(tenant)).toBe(addressOf(2));
  expect(await left(tenant)).toEqual([]);
  expect(await withLines(words.slice(0, -1), [])).toMatchObject({ status: 2 });
});

test.each([
  ['nothing', [], 'Standard input: Must have an address.'],
  ['empty lines', ['', ' '], 'Standard input: Must have an address.'],
  ['the zero address', [addressOf(1), addressOf(0)], 'Standard input, line 2: Must not be the zero address'],
] as const)('%s can neither be added nor deleted', async (_, lines, message) => {
  const tenant = await seedTenant(gateway, { addresses: 1 });
  const before = await textOf(gateway.database);
  for (const words of [['add'], ['delete', '--yes']]) {
    const refused = await withLines(['address', ...words, ...poolOf(tenant)], lines);
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain(message);
  }
  expect(await textOf(gateway.database)).toBe(before);
});

test('an address that gets a wallet and is added at the same time does one of both', async () => {
  const { operator } = gateway;
  const { account, project } = await seedTenant(gateway);
  const wallet = (n: number) => ({ project, title: 'Till', network: NETWORK, address: addressOf(n) });
  async function* line(n: number) {
    yield JSON.stringify({ type: 'wallet', ...wallet(n) });
  }
  for (let n = 1; n <= 40; n += 1) {
    await Promise.allSettled([
      n % 2 === 0 ? registerWallet(operator, wallet(n)) : importAccount(operator, { account }, line(n)),
      addAddresses(operator, { account, network: NETWORK }, addressLines(1, n)),
    ]);
  }
  const wallets = await rowsOf(gateway.database, 'wallet', account);
  const used = new Set(wallets.map((row) => row['address']));
  const unused = await rowsOf(gateway.database, 'address', account);
  expect(unused.filter((row) => used.has(row['address']))).toEqual([]);
});

test('two additions at once add all of their addresses, or none of one of them', async () => {
  const tenant = await seedTenant(gateway);
  const sizes = [1200, 900];
  const files = sizes.map((size, n) => addressLines(size, n * 10_000 + 1));
  const input = { account: tenant.account, network: NETWORK };
  const added = await Promise.allSettled(files.map((lines) => addAddresses(gateway.operator, input, lines)));
  const counts = added.map((each, n) => (each.status === 'fulfilled' ? sizes[n] : 0));
  const rows = await rowsOf(gateway.database, 'address', tenant.account);
  expect(rows).toHaveLength(counts.reduce<number>((sum, count = 0) => sum + count, 0));
  for (const each of added) {
    if (each.status === 'rejected') expect(each.reason.message).toContain('one command at a time');
  }
  expect(await add(tenant, [addressOf(50_000)])).toMatchObject({ status: 0 });
  expect(await rowsOf(gateway.database, 'address', tenant.account)).toHaveLength(rows.length + 1);
});

test('no wallet gets an address of an addition that was killed, and a repetition adds all of them', async () => {
  const tenant = await seedTenant(gateway);
  const file = join(testFolder(), 'addresses.txt');
  const lines = Array.from({ length: 40_000 }, (_, n) => addressOf(n + 1));
  writeFileSync(file, lines.join('\n'));
  const words = ['address', 'add', ...poolOf(tenant), file];
  const adding = startPaw(words, { DATABASE_URL: gateway.databaseUrl });
  const count = async () => (await rowsOf(gateway.database, 'address', tenant.account)).length;
  await expect.poll(count, { interval: 5 }).toBeGreaterThan(0);
  // Others write meanwhile.
  await createApp(
    graphqlApi(() => gateway.url),
    tenant.token,
  );
  await adding.stop('SIGKILL');
  expect(await refusal(tenant)).toBe('NO_ADDRESS_LEFT');
  expect((await run('check')).stdout).toContain(
    `An addition of addresses to ${tenant.account} was interrupted.`,
  );
  expect(await run(...words)).toMatchObject({ status: 0, stdout: 'Added 40000 addresses.\n' });
  expect(await createWallet(tenant)).toBe(lines[0]);
  expect(await count()).toBe(39_999);
});

// It takes a million rows.
test('an account has at most 1,000,000 wallets and addresses that are left', {
  tags: ['night/slow'],
}, async () => {
  const tenant = await seedTenant(gateway);
  await addWallets(gateway.database, tenant, 999_998);
  expect(await add(tenant, [1, 2, 3].map(addressOf))).toMatchObject({ status: 2 });
  expect(await left(tenant)).toEqual([]);
  expect(await add(tenant, [1, 2].map(addressOf))).toMatchObject({ status: 0, stderr: '' });
});

test('all addresses of an account, or of the whole database, are deleted, and given to no wallet', async () => {
  const [one, other] = [await seedTenant(gateway), await seedTenant(gateway)];
  await add(one, [1, 2].map(addressOf));
  await add(one, [addressOf(3)], 'NETWORK_POLYGON');
  await add(other, [addressOf(1)]);
  const found = `The address ${addressOf(1)} is unused in one account, and another account has it, too.`;
  expect((await run('check')).stdout).toContain(found);
  const all = ['address', 'delete', '--all', '--yes'];
  for (const words of [['--network', NETWORK], ['addresses.txt']]) {
    expect(await run(...all, ...words)).toMatchObject({ status: 2, stdout: '' });
  }
  expect(await runJson(...all, '--account', one.account)).toEqual({ account: one.account, count: 3 });
  expect(await refusal(one)).toBe('NO_ADDRESS_LEFT');
  expect(await createWallet(other)).toBe(addressOf(1));
  await add(other, [addressOf(2)]);
  expect(await run(...all)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Deleted \d+ address(es)?\.\n$/),
  });
  expect([await left(one), await left(other)]).toEqual([[], []]);
  expect(await refusal(other)).toBe('NO_ADDRESS_LEFT');
  expect(await run('check')).toMatchObject({ status: 0 });
  const events = await eventsOf(gateway.database, one.account);
  for (const count of [1, 2]) {
    expect(events).toContainEqual(expect.objectContaining({ action: 'address.delete', count }));
  }
});
