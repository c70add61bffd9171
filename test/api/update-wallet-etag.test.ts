import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { exportView } from '../../src/commands/cli/views.ts';
import { deleteWallet } from '../../src/operator/delete-wallet.ts';
import { exportAccount } from '../../src/operator/export-account.ts';
import { importAccount } from '../../src/operator/import-account.ts';
import { bothApis } from '../support/both-apis.ts';
import { textOf } from '../support/engine.ts';
import { seedTenant, useGateway } from '../support/gateway.ts';
import { graphqlBody, MISSING_WALLET, PASSWORD, resultOf, ULID } from '../support/requests.ts';
import { rowOf, setRow } from '../support/rows.ts';
import { paw } from '../support/run-command.ts';

const ETAG = 'query ($id: ID!) { node(id: $id) { ... on Wallet { etag } } }';

const gateway = useGateway();
const [graphql, rest] = bothApis(() => gateway.url);

/** Adds an account with a wallet. */
async function seed() {
  const { account, token, wallet } = await seedTenant(gateway, { wallets: 1 });
  /** Updates the wallet by REST. @param ifMatch the header */
  const patch = (ifMatch: string, changes: object = { title: 'New' }, headers = {}) =>
    bothApis(() => gateway.url, { 'if-match': ifMatch, ...headers })[1].updateWallet(token, wallet, changes);
  /** Update the wallet, if it has an etag. */
  const updates = {
    REST: (ifMatch: string, changes: object) => patch(`"${ifMatch}"`, changes),
    GraphQL: (ifMatch: string | null, changes: object) =>
      graphql.updateWallet(token, wallet, { ifMatch, ...changes }),
  };
  const etag = async (): Promise<string> =>
    (await graphqlBody(gateway.url, token, ETAG, { id: wallet })).data.node.etag;
  return { account, token, wallet, patch, updates, etag };
}

describe('the etag of a wallet', () => {
  test('changes with each update by either API and by the operator, also of the password alone', async () => {
    const { token, wallet, etag } = await seed();
    const seen = [await etag()];
    for (const change of [
      () => resultOf(rest.updateWallet(token, wallet, { title: 'By REST' })),
      () => resultOf(graphql.updateWallet(token, wallet, { title: 'By GraphQL' })),
      () => resultOf(graphql.updateWallet(token, wallet, { password: PASSWORD })),
      () => resultOf(graphql.updateWallet(token, wallet, { password: PASSWORD })),
      () => paw(['wallet', 'update', wallet, '--title', 'By PAW'], { DATABASE_URL: gateway.databaseUrl }),
    ]) {
      await change();
      seen.push(await etag());
    }
    expect(new Set(seen).size).toBe(6);
    await resultOf(rest.updateWallet(token, wallet, {}));
    expect(await etag()).toBe(seen.at(-1));
  });

  test.each([rest, graphql])(
    'by $name, has to be that of the wallet, if an update names one',
    async ({ name }) => {
      const { etag, updates } = await seed();
      const update = updates[name];
      const [status, code] = name === 'REST' ? [412, '"ABORTED"'] : [200, '"CONFLICT"'];
      const first = await etag();
      expect((await update(first, { title: 'First' })).value?.title).toBe('First');
      expect(await etag()).not.toBe(first);
      const before = await textOf(gateway.database);
      for (const stale of [first, 'r', 'r01', 'r999999999999999999999']) {
        for (const changes of [{ title: 'Second' }, {}, { password: PASSWORD }]) {
          const { error, response } = await update(stale, changes);
          expect(error).toMatchObject({ status: 'ABORTED', reason: 'ETAG_MISMATCH' });
          expect([response.status, response.text]).toEqual([status, expect.stringContaining(code)]);
          expect(response.headers.has('retry-after')).toBe(false);
        }
      }
      expect(await textOf(gateway.database)).toBe(before);
    },
  );

  test('is the header ETag of a PATCH, and one of a list in If-Match', async () => {
    const { etag, patch } = await seed();
    const { response } = await patch(`"other", W/"other" ,, "","${await etag()}",`);
    const tag = response.headers.get('etag');
    expect([response.status, tag]).toEqual([200, `"${await etag()}"`]);
    for (const stale of [`W/${tag}`, '"a,b", "c"']) {
      expect((await patch(stale)).error?.reason).toBe('ETAG_MISMATCH');
    }
    expect((await patch(tag ?? '', {})).response.headers.get('etag')).toBe(tag);
    expect((await patch('*')).response.status).toBe(200);
  });

  test('is refused if it is malformed', async () => {
    const { patch, updates } = await seed();
    const long = 'a'.repeat(101);
    const lists = ['', ',', '"r1",x', '"r1" "r2"', '*, "r1"'];
    for (const header of [...lists, 'r1', '"r1', '"a b"', 'w/"r1"', `"${long}"`]) {
      const { error, response } = await patch(header);
      expect([header, response.status, error?.fields]).toEqual([header, 400, ['If-Match']]);
    }
    for (const value of ['', 'a b', '"', long, null]) {
      expect((await updates.GraphQL(value, { title: 'x' })).error?.fields).toEqual(['ifMatch']);
    }
    const { response } = await updates.GraphQL(`"${ULID}"`, { title: 'x' });
    expect(response.text).toContain('without quotation marks');
  });

  test('is that of one of many concurrent updates', async () => {
    const { etag, updates } = await seed();
    const ifMatch = await etag();
    const all = Array.from({ length: 12 }, (_, n) =>
      updates[n % 2 === 0 ? 'REST' : 'GraphQL'](ifMatch, { title: `Title ${n}` }),
    );
    expect((await Promise.all(all)).filter(({ value }) => value)).toHaveLength(1);
  });

  test('is not given again after a restore, nor after a deletion and an import', async () => {
    const { account, wallet, etag, updates } = await seed();
    const { database, operator } = gateway;
    const seen = [await etag()];
    const { title, revision } = await rowOf(database, wallet);
    await updates.REST(seen[0] ?? '', { title: 'Lost by the restore' });
    seen.push(await etag());
    await setRow(database, wallet, { title: title ?? null, revision: revision ?? null });
    expect((await updates.REST(await etag(), { title: 'By B' })).value?.title).toBe('By B');
    seen.push(await etag());

    const lines: string[] = [];
    for await (const record of exportAccount(operator, { name: account })) {
      lines.push(JSON.stringify(exportView(record)));
    }
    await deleteWallet(operator, { name: wallet });
    await importAccount(operator, { account }, Readable.from(lines), () => {});
    seen.push(await etag());
    expect(new Set(seen).size).toBe(seen.length);
    for (const stale of seen.slice(0, -1)) {
      const { error } = await updates.REST(stale, { title: 'By A' });
      expect(error).toMatchObject({ reason: 'ETAG_MISMATCH' });
    }
  });

  test('is not compared for a repetition by Idempotency-Key', async () => {
    const { etag, patch } = await seed();
    const first = `"${await etag()}"`;
    const patchWith = async (key: string, ifMatch = first) =>
      (await patch(ifMatch, { title: key }, { 'idempotency-key': key })).response;
    const [applied, replayed] = [await patchWith('once'), await patchWith('once')];
    expect([applied.status, replayed.status, replayed.text]).toEqual([200, 200, applied.text]);
    expect(replayed.headers.get('idempotency-replayed')).toBe('true');
    // A refused request is not kept.
    expect([(await patchWith('late')).status, (await patchWith('late', '*')).status]).toEqual([412, 200]);
  });

  test('says nothing about a wallet that the token does not see', async () => {
    const [{ token }, other] = [await seed(), await seed()];
    const [, byRest] = bothApis(() => gateway.url, { 'if-match': '"r1"' });
    for (const wallet of [other.wallet, MISSING_WALLET]) {
      for (const changes of [{ title: 'New' }, {}]) {
        expect((await byRest.updateWallet(token, wallet, changes)).response.status).toBe(404);
      }
    }
  });
});

describe('a PATCH with a condition', () => {
  /** Updates a wallet by REST, with headers. Returns the status, and whether something is changed. */
  async function patchOf() {
    const { token, wallet, etag } = await seed();
    const tag = await etag();
    const patch = async (headers: Readonly<Record<string, string>>, changes: object = { title: 'New' }) => {
      const [, byRest] = bothApis(() => gateway.url, headers);
      const before = await etag();
      const { response, error } = await byRest.updateWallet(token, wallet, changes);
      return [response.status, error?.reason ?? ((await etag()) !== before || 'same')];
    };
    return { patch, tag };
  }

  const REFUSED = [412, 'ETAG_MISMATCH'];
  const MADE = [200, true];

  test.each<[string, (tag: string) => string]>([
    ['the etag', (tag) => `"${tag}"`],
    ['the weak etag', (tag) => `W/"${tag}"`],
    ['a list with it', (tag) => `"other",, W/"${tag}"`],
    ['*', () => '*'],
  ])('If-None-Match is refused with %s', async (_case, headerOf) => {
    const { patch, tag } = await patchOf();
    for (const changes of [{ title: 'New' }, {}, { password: PASSWORD }]) {
      expect(await patch({ 'if-none-match': headerOf(tag) }, changes)).toEqual(REFUSED);
      const both = { 'if-none-match': headerOf(tag), 'if-match': `"${tag}"` };
      expect(await patch(both, changes)).toEqual(REFUSED);
    }
  });

  test('If-None-Match is made with other etags, and refused if it is malformed', async () => {
    const { patch } = await patchOf();
    expect(await patch({ 'if-none-match': '"r9", W/"x", ""' })).toEqual(MADE);
    for (const header of ['', 'r1', '*, "r1"']) {
      expect(await patch({ 'if-none-match': header })).toEqual([400, 'INVALID_FIELD']);
    }
  });

  test.each([
    ['if-unmodified-since', 'Sun, 06 Nov 1994 08:49:37 GMT'],
    ['if-modified-since', 'Fri, 01 Jan 2100 00:00:00 GMT'],
    ['if-range', '"r9"'],
  ])('is made with %s: %s, which is ignored', async (name, value) => {
    const { patch } = await patchOf();
    expect(await patch({ [name]: value })).toEqual(MADE);
  });
});
