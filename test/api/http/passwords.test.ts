// @module-tag night/slow

import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Api, graphqlApi, postGraphql, restApi } from '../../support/both-apis.ts';
import { seedTenant, type Tenant, useGateway } from '../../support/gateway.ts';
import { expectError } from '../../support/refusal.ts';
import { MISSING_WALLET, PASSWORD } from '../../support/requests.ts';
import { rowOf } from '../../support/rows.ts';

const gateway = useGateway();

describe('passwords that wait to be hashed', () => {
  // Two are hashed while 25 of an account wait, and 100 of all accounts.
  const MAX_OF_ACCOUNT = 27;
  const MAX_OF_ALL = 102;
  const update = { title: 'Renamed', password: PASSWORD };

  /** Sets a password for each wallet at the same time. */
  function updateAll(api: Api, { token, wallets }: Tenant) {
    return wallets.map(async (wallet) => ({ wallet, ...(await api.updateWallet(token, wallet, update)) }));
  }

  /** Occupies the threads that hash passwords, until the returned function is called. */
  function stopHashing(): () => Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'paw-fifo-'));
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);
    // A thread waits in `open` until the FIFO has a writer.
    const readers = Array.from({ length: threads }, () => open(fifo));
    let released: Promise<void> | undefined;
    const release = async () => {
      const writer = openSync(fifo, 'r+');
      for (const reader of await Promise.all(readers)) await reader.close();
      closeSync(writer);
      rmSync(folder, { recursive: true });
    };
    const releaseOnce = () => {
      released ??= release();
      return released;
    };
    onTestFinished(releaseOnce);
    return releaseOnce;
  }

  /** Returns the outcomes of requests, and continues the hashing when some of them have been refused. */
  async function outcomesOf(requests: ReturnType<typeof updateAll>, count: number, release: () => void) {
    let left = count;
    const counted = requests.map(async (request) => {
      const outcome = await request;
      if (outcome.error !== undefined) left -= 1;
      if (left === 0) release();
      return outcome;
    });
    const refused = (await Promise.all(counted)).filter(({ error }) => error !== undefined);
    expect(refused).toHaveLength(count);
    return refused;
  }

  test('those of an account beyond its limit are refused and change nothing, and all of another account are set', async () => {
    const api = graphqlApi(() => gateway.url);
    const [flood, victim] = [
      await seedTenant(gateway, { wallets: 2 * MAX_OF_ACCOUNT }),
      await seedTenant(gateway, { wallets: 3 }),
    ];
    const release = stopHashing();
    const requests = updateAll(api, flood);
    const others = updateAll(api, victim);
    const refused = await outcomesOf(requests, MAX_OF_ACCOUNT, release);
    for (const outcome of refused) expectError(api, outcome, 'RESOURCE_EXHAUSTED', 'TOO_MANY_PASSWORDS');
    const unchanged = { title: expect.stringMatching(/^Wallet \d+$/), password_hash: null };
    const changed = { title: 'Renamed', password_hash: expect.stringMatching(/^\$argon2id\$/) };
    for (const { wallet, error } of await Promise.all([...requests, ...others])) {
      expect(await rowOf(gateway.database, wallet)).toMatchObject(error ? unchanged : changed);
    }
    for (const { error } of await Promise.all(others)) expect(error).toBeUndefined();
    const later = await api.updateWallet(flood.token, refused[0]?.wallet ?? '', update);
    expect(later.value?.title).toBe('Renamed');
  });

  test('of a request with a key and several mutations are refused like others, and it can be repeated', async () => {
    const api = graphqlApi(() => gateway.url);
    const flood = await seedTenant(gateway, { wallets: MAX_OF_ACCOUNT + 1 });
    const release = stopHashing();
    const requests = updateAll(api, flood);
    // The queue is full.
    await Promise.any(
      requests.map(async (each) => expectError(api, await each, 'RESOURCE_EXHAUSTED', 'TOO_MANY_PASSWORDS')),
    );
    const [name = ''] = flood.wallets;
    const document = `mutation ($a: UpdateWalletInput!, $b: UpdateWalletInput!) {
      a: updateWallet(input: $a) { wallet { title } } b: updateWallet(input: $b) { wallet { title } }
    }`;
    const variables = { a: { name, title: 'First' }, b: { name, password: PASSWORD } };
    const keyed = () =>
      postGraphql(gateway.url, flood.token, document, variables, { 'idempotency-key': 'key' });
    const { status, text } = await keyed();
    expect([status, JSON.parse(text).errors[0].extensions.reason]).toEqual([429, 'TOO_MANY_PASSWORDS']);
    expect((await rowOf(gateway.database, name))['title']).not.toBe('First');
    await release();
    await Promise.all(requests);
    expect(JSON.parse((await keyed()).text).errors).toBeUndefined();
    expect((await rowOf(gateway.database, name))['title']).toBe('First');
  });

  test('those of any account are refused with 503 if the whole queue is full', async () => {
    const api = restApi(() => gateway.url);
    const tenants: Tenant[] = [];
    for (let n = 0; n < 6; n += 1) {
      const owner = await seedTenant(gateway, { wallets: 1 });
      tenants.push({ ...owner, wallets: new Array(25).fill(owner.wallets[0]) });
    }
    const release = stopHashing();
    const sent = tenants.flatMap((tenant) => updateAll(api, tenant));
    for (const outcome of await outcomesOf(sent, sent.length - MAX_OF_ALL, release)) {
      expectError(api, outcome, 'UNAVAILABLE', 'OVERLOADED');
    }
  });

  test('do not include one for a missing wallet', async () => {
    const api = restApi(() => gateway.url);
    const { token } = await seedTenant(gateway);
    const send = () => api.updateWallet(token, MISSING_WALLET, { password: PASSWORD });
    const outcomes = await Promise.all(Array.from({ length: MAX_OF_ACCOUNT + 5 }, send));
    expect(new Set(outcomes.map(({ error }) => error?.status))).toEqual(new Set(['NOT_FOUND']));
  });
});
