import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { payloadOf } from '../../support/actors.ts';
import { textOf } from '../../support/engine.ts';
import {
  addressOf,
  NETWORK,
  seedTenant,
  type Tenant,
  testFolder,
  useGateway,
} from '../../support/gateway.ts';
import { commandsOn, paw } from '../../support/paw.ts';
import { addWallets, eventsOf } from '../../support/rows.ts';

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

// It takes a million rows.
test('an account has at most 1,000,000 wallets and addresses that are left', {
  tags: ['night/slow'],
}, async () => {
  const tenant = await seedTenant(gateway);
  await addWallets(gateway.database, tenant, 999_998);
  expect(await add(tenant, [1, 2, 3].map(addressOf))).toMatchObject({ status: 2 });
  expect(await left(tenant)).toEqual([]);
  expect(await add(tenant, [1, 2].map(addressOf))).toMatchObject({ status: 0 });
});
