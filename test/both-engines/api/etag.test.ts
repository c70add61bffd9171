import { describe, expect, test } from 'vitest';
import {
  createApp,
  graphqlBody,
  MISSING_WALLET,
  PASSWORD,
  projectTokenOf,
  resultOf,
  signIn,
} from '../../support/actors.ts';
import {
  graphqlApi,
  type HttpResponse,
  mutationDocument,
  postGraphql,
  restApi,
  send,
} from '../../support/apis.ts';
import { textOf } from '../../support/engine.ts';
import { seedTenant, type Tenant, useGateway } from '../../support/gateway.ts';
import { paw } from '../../support/paw.ts';

const UPDATE_WALLET = mutationDocument('updateWallet', 'wallet { title etag }');
const UPDATE_APP = mutationDocument('updateApp', 'app { title etag }');
const ETAG = 'query ($id: ID!) { node(id: $id) { ... on Wallet { etag } ... on App { etag } } }';

const gateway = useGateway();
const rest = restApi(() => gateway.url);
const graphql = graphqlApi(() => gateway.url);

async function etagOf({ token }: Tenant, name: string): Promise<string> {
  const { data } = await graphqlBody(gateway.url, token, ETAG, { id: name });
  return data.node.etag;
}

/** Sends an update of a wallet by REST. @param ifMatch the header */
function patch({ token, wallets }: Tenant, ifMatch: string, body: object = { title: 'New' }, headers = {}) {
  const url = `${gateway.url}/wallet/${wallets[0]}`;
  return send(url, 'PATCH', token, body, { 'if-match': ifMatch, ...headers });
}

async function update(document: string, token: string, input: object) {
  const { status, text } = await postGraphql(gateway.url, token, document, { input });
  return { status, ...JSON.parse(text) };
}

function reasonIn({ text }: HttpResponse): string {
  return JSON.parse(text).error.details[0].reason;
}

describe('the etag of a wallet', () => {
  test('changes with each update by either API and by the operator, also of the password alone', async () => {
    const tenant = await seedTenant(gateway, { wallets: 1 });
    const { token, wallets } = tenant;
    const [wallet = ''] = wallets;
    const seen = [await etagOf(tenant, wallet)];
    for (const change of [
      () => resultOf(rest.updateWallet(token, wallet, { title: 'By REST' })),
      () => resultOf(graphql.updateWallet(token, wallet, { title: 'By GraphQL' })),
      () => resultOf(graphql.updateWallet(token, wallet, { password: PASSWORD })),
      () => resultOf(graphql.updateWallet(token, wallet, { password: PASSWORD })),
      () => paw(['wallet', 'update', wallet, '--title', 'By PAW'], { DATABASE_URL: gateway.databaseUrl }),
    ]) {
      await change();
      seen.push(await etagOf(tenant, wallet));
    }
    expect(new Set(seen).size).toBe(6);
    await resultOf(rest.updateWallet(token, wallet, {}));
    expect(await etagOf(tenant, wallet)).toBe(seen.at(-1));
  });

  test('is the header ETag of a PATCH, and is taken in If-Match', async () => {
    const tenant = await seedTenant(gateway, { wallets: 1 });
    const [wallet = ''] = tenant.wallets;
    const first = `"${await etagOf(tenant, wallet)}"`;
    const answer = await patch(tenant, `"other", W/"other" ,, "",${first},`);
    expect(answer.status).toBe(200);
    const second = answer.headers.get('etag');
    expect(second).toBe(`"${await etagOf(tenant, wallet)}"`);
    expect(second).not.toBe(first);
    const before = await textOf(gateway.database);
    for (const stale of [first, `W/${second}`, '"r"', '"r01"', '"r999999999999999999999"', '"a,b", "c"']) {
      const refused = await patch(tenant, stale);
      expect([refused.status, reasonIn(refused)]).toEqual([412, 'ETAG_MISMATCH']);
      expect(refused.headers.has('retry-after')).toBe(false);
      expect((await patch(tenant, stale, {})).status).toBe(412);
    }
    expect(await textOf(gateway.database)).toBe(before);
    expect((await patch(tenant, second ?? '', {})).headers.get('etag')).toBe(second);
    expect((await patch(tenant, '*')).status).toBe(200);
  });

  test.each([
    '',
    ',',
    'r1',
    '"r1',
    '"r1",x',
    '"r1" "r2"',
    '"a b"',
    'w/"r1"',
    '*, "r1"',
    `"${'a'.repeat(101)}"`,
  ])('is malformed as If-Match: %s', async (header) => {
    const tenant = await seedTenant(gateway, { wallets: 1 });
    const refused = await patch(tenant, header);
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text).error.details[1].fieldViolations).toEqual([
      { field: 'If-Match', description: expect.stringContaining('Must be *') },
    ]);
  });

  test('that an update by GraphQL names has to be that of the wallet', async () => {
    const tenant = await seedTenant(gateway, { wallets: 1 });
    const [name = ''] = tenant.wallets;
    const ifMatch = await etagOf(tenant, name);
    const first = await update(UPDATE_WALLET, tenant.token, { name, ifMatch, title: 'First' });
    expect(first.data.updateWallet.wallet).toEqual({ title: 'First', etag: await etagOf(tenant, name) });
    const before = await textOf(gateway.database);
    for (const fields of [{ title: 'Second' }, {}, { password: PASSWORD }]) {
      const { data, errors } = await update(UPDATE_WALLET, tenant.token, { name, ifMatch, ...fields });
      expect(data).toEqual({ updateWallet: null });
      expect(errors[0].extensions).toMatchObject({
        code: 'CONFLICT',
        status: 'ABORTED',
        reason: 'ETAG_MISMATCH',
      });
    }
    for (const malformed of ['', 'a b', '"', 'a'.repeat(101), null]) {
      const { errors } = await update(UPDATE_WALLET, tenant.token, { name, ifMatch: malformed, title: 'x' });
      expect(errors[0].extensions.fieldViolations).toMatchObject([{ field: 'ifMatch' }]);
    }
    expect(await textOf(gateway.database)).toBe(before);
  });

  test('is that of one of many concurrent updates', async () => {
    const tenant = await seedTenant(gateway, { wallets: 1 });
    const [name = ''] = tenant.wallets;
    const ifMatch = await etagOf(tenant, name);
    const updates = Array.from({ length: 12 }, (_, n) =>
      n % 2 === 0
        ? patch(tenant, `"${ifMatch}"`, { title: `Title ${n}` }).then(({ status }) => status === 200)
        : update(UPDATE_WALLET, tenant.token, { name, ifMatch, title: `Title ${n}` }).then(
            (body) => !body.errors,
          ),
    );
    expect((await Promise.all(updates)).filter(Boolean)).toHaveLength(1);
  });

  test('is not compared for a repetition by Idempotency-Key', async () => {
    const tenant = await seedTenant(gateway, { wallets: 1 });
    const [wallet = ''] = tenant.wallets;
    const etag = `"${await etagOf(tenant, wallet)}"`;
    const once = () => patch(tenant, etag, { title: 'Once' }, { 'idempotency-key': 'once' });
    const first = await once();
    const second = await once();
    expect([first.status, second.status, second.text]).toEqual([200, 200, first.text]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    // A refused request is not kept.
    const refused = await patch(tenant, etag, { title: 'Late' }, { 'idempotency-key': 'late' });
    const repeated = await patch(tenant, '*', { title: 'Late' }, { 'idempotency-key': 'late' });
    expect([refused.status, repeated.status]).toEqual([412, 200]);
  });

  test('says nothing about a wallet that the token does not see', async () => {
    const [tenant, other] = [
      await seedTenant(gateway, { wallets: 1 }),
      await seedTenant(gateway, { wallets: 1 }),
    ];
    for (const wallet of [other.wallets[0] ?? '', MISSING_WALLET]) {
      expect((await patch({ ...tenant, wallets: [wallet] }, '"r1"')).status).toBe(404);
      expect((await patch({ ...tenant, wallets: [wallet] }, '"r2"', {})).status).toBe(404);
    }
  });
});

test('the etag of an app changes with each update and rotation, not with a sign-in, and is compared', async () => {
  const tenant = await seedTenant(gateway);
  const { token } = tenant;
  const app = await createApp(rest, token);
  const { name } = app;
  const first = await etagOf(tenant, name);
  await signIn(rest, token, app);
  expect(await etagOf(tenant, name)).toBe(first);
  const seen = new Set([first]);
  const changes = [
    ['updateApp', UPDATE_APP, { name, title: 'New' }],
    ['updateApp', UPDATE_APP, { name, active: false }],
    ['rotateAppKey', mutationDocument('rotateAppKey', 'app { etag }'), { name }],
    ['updateApp', UPDATE_APP, { name, active: true, ifMatch: 'r4' }],
  ] as const;
  for (const [field, document, input] of changes) {
    const { data } = await update(document, token, input);
    expect(data[field].app.etag).toBe(await etagOf(tenant, name));
    seen.add(data[field].app.etag);
  }
  expect(seen.size).toBe(5);
  const before = await textOf(gateway.database);
  for (const fields of [{ title: 'Late' }, { active: false }, {}]) {
    const { data, errors } = await update(UPDATE_APP, token, { name, ifMatch: first, ...fields });
    expect([data.updateApp, errors[0].extensions.reason]).toEqual([null, 'ETAG_MISMATCH']);
  }
  expect(await textOf(gateway.database)).toBe(before);
  // The level of the token is judged first.
  const rotated = await update(mutationDocument('rotateAppKey', 'privateKey'), token, { name });
  const { privateKey } = rotated.data.rotateAppKey;
  const appToken = await projectTokenOf(rest, token, { name, privateKey });
  const { errors } = await update(UPDATE_APP, appToken, { name, ifMatch: first, title: 'x' });
  expect(errors[0].extensions.reason).toBe('ACCOUNT_TOKEN_REQUIRED');
});
