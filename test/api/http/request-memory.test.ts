// @module-tag night/memory

import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type HttpResponse, postGraphql } from '../../support/both-apis.ts';
import { type Gateway, seedTenant, startGatewayWithHooks, type Tenant } from '../../support/gateway.ts';
import { rowOf, setRows } from '../../support/rows.ts';

// A control character takes one character, and six bytes in JSON.
const DESCRIPTION = '\u0001'.repeat(2000);

const FIELDS = 'a: description b: description c: description d: description';

const LARGE = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Wallet { ${FIELDS} } } }`;

const UPDATE = `mutation ($name: ResourceName!, $title: String, $first: Int = 100) {
  updateWallet(input: { name: $name, title: $title }) {
    wallet { project { wallets(first: $first) { nodes { ${FIELDS} } } } }
  }
}`;

const HOLD = { 'x-hold': 'yes' };

let gateway: Gateway;
let tenant: Tenant;
let neighbour: Tenant;
/** Called with the function that ends the wait of a response to a request with the header `x-hold`. */
let onHeld: (release: () => void) => void;

beforeAll(async () => {
  gateway = await startGatewayWithHooks((app) => {
    app.addHook('onSend', async ({ headers }, { statusCode }) => {
      if (headers['x-hold'] !== undefined && statusCode === 200)
        await new Promise<void>((release) => onHeld(release));
    });
  });
  tenant = await seedTenant(gateway, { wallets: 100 });
  neighbour = await seedTenant(gateway, { wallets: 100 });
  await setRows(gateway.database, 'wallet', { description: DESCRIPTION });
  return gateway.stop;
});

function ask({ token, wallets }: Tenant, headers: Readonly<Record<string, string>> = {}) {
  return postGraphql(gateway.url, token, LARGE, { ids: wallets }, headers);
}

function reasonOf({ text }: HttpResponse): string {
  return JSON.parse(text).errors[0].extensions.reason;
}

/**
 * Holds large responses of the tenant until one is refused. Returns it, and a function that ends the wait.
 *
 * @param send sends a request whose response is held
 */
async function fill(send = () => ask(tenant, HOLD)) {
  const releases: (() => void)[] = [];
  const responses: Promise<HttpResponse>[] = [];
  for (;;) {
    const held = Promise.withResolvers<() => void>();
    onHeld = held.resolve;
    const response = send();
    const first = await Promise.race([held.promise, response]);
    if (typeof first !== 'function') {
      const release = () => {
        for (const end of releases) end();
        return Promise.all(responses);
      };
      return { refusal: first, release };
    }
    releases.push(first);
    responses.push(response);
  }
}

test('large responses of an account beyond its share are refused, and all others are answered', async () => {
  const { refusal, release } = await fill();
  expect([refusal.status, reasonOf(refusal)]).toEqual([503, 'OVERLOADED']);
  expect(refusal.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  const small = await postGraphql(gateway.url, tenant.token, '{ projects { nodes { title } } }');
  expect(small.status).toBe(200);
  const { status, text } = await ask(neighbour);
  expect(status).toBe(200);
  expect(text.length).toBeGreaterThan(4_500_000);

  // The change of a mutation may have been made. With a key, it is undone.
  const [name = ''] = tenant.wallets;
  const update = (title: string, headers = {}) =>
    postGraphql(gateway.url, tenant.token, UPDATE, { name, title }, headers);
  const plain = await update('plain');
  expect([plain.status, reasonOf(plain)]).toEqual([503, 'RESULT_UNKNOWN']);
  const keyed = await update('keyed', { 'idempotency-key': 'one' });
  expect([keyed.status, reasonOf(keyed)]).toEqual([503, 'OVERLOADED']);
  expect(await rowOf(gateway.database, name)).toMatchObject({ title: 'plain' });

  const held = await release();
  expect(held.length).toBeGreaterThan(8);
  expect(new Set(held.map((response) => response.text.length))).toEqual(new Set([text.length]));
  expect((await ask(tenant)).status).toBe(200);
});

test('kept responses beyond the share of an account are refused like others, because nothing is changed', async () => {
  const variables = { name: tenant.wallets[0], title: 'kept', first: 20 };
  const repeat = (headers: object) =>
    postGraphql(gateway.url, tenant.token, UPDATE, variables, { ...headers, 'idempotency-key': 'two' });
  const first = await repeat({});
  expect(first.text.length).toBeGreaterThan(900_000);
  const { refusal, release } = await fill(() => repeat(HOLD));
  expect([refusal.status, reasonOf(refusal)]).toEqual([503, 'OVERLOADED']);
  expect(new Set((await release()).map(({ text }) => text))).toEqual(new Set([first.text]));
  expect((await repeat({})).headers.get('idempotency-replayed')).toBe('true');
});

test('responses that are received slowly are cut off when their memory is needed', async () => {
  let nowMs = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  onTestFinished(() => clock.mockRestore());
  const body = JSON.stringify({ query: LARGE, variables: { ids: tenant.wallets } });
  const fillSilently = async () => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    const headers = `Authorization: Bearer ${tenant.token}\r\nContent-Type: application/json\r\n`;
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    await once(socket, 'readable');
  };
  for (let n = 0; n < 12; n += 1) await fillSilently();
  expect((await ask(tenant)).status).toBe(503);
  nowMs += 5001;
  expect((await ask(tenant)).status).toBe(200);
});
