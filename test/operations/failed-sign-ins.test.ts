import { beforeAll, describe, expect, test } from 'vitest';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { idGenerator, resourceName, type Ulid } from '../../src/model/resource-name.ts';
import type { AuditEventRow } from '../../src/storage/audit-events.ts';
import { queryThenInsert } from '../../src/storage/database.ts';
import { addSignInFailure, findSignInFailures } from '../../src/storage/sign-in-failures.ts';
import {
  type AppKey,
  createApp,
  keyOf,
  MISSING_APP,
  postSignIn,
  reasonOf,
  ulidOf,
  withOtherSecret,
  withoutRequestId,
} from '../support/actors.ts';
import { type Api, bothApis, type HttpResponse, postGraphql } from '../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';
import { expectError } from '../support/refusal.ts';

const LIMIT = 3;

const WINDOW_MS = 600_000;

const SETTINGS = { PAW_FAILED_SIGN_INS: String(LIMIT), PAW_TRUSTED_PROXIES: '127.0.0.1' };

let gateway: Gateway;
/** Another instance on the same database. */
let other: Gateway;
beforeAll(async () => {
  gateway = await startGateway(SETTINGS);
  other = await startGateway({ ...SETTINGS, DATABASE_URL: gateway.databaseUrl }, gateway.clock);
  return async () => {
    await other.stop();
    await gateway.stop();
  };
});

/** Returns an app of a new tenant, and a wrong key for it. */
async function seedApp(api: Api): Promise<{ tenant: Tenant; app: AppKey; wrong: AppKey }> {
  const tenant = await seedTenant(gateway);
  const app = keyOf(await createApp(api, tenant.token));
  return { tenant, app, wrong: { ...app, privateKey: withOtherSecret(app.privateKey) } };
}

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  const [elsewhere] = bothApis(() => other.url).filter(({ name }) => name === api.name) as [Api];

  test('after too many failures the app is refused to this client, on every instance, until the window ends', async () => {
    const { tenant, app, wrong } = await seedApp(api);
    expectError(api, await api.signIn(tenant.token, wrong), 'UNAUTHENTICATED', 'INVALID_CREDENTIALS');
    gateway.clock.advance(WINDOW_MS / 2);
    expectError(api, await elsewhere.signIn(tenant.token, wrong), 'UNAUTHENTICATED', 'INVALID_CREDENTIALS');
    expectError(api, await api.signIn(tenant.token, wrong), 'UNAUTHENTICATED', 'INVALID_CREDENTIALS');
    for (const instance of [api, elsewhere]) {
      for (const key of [wrong, app]) {
        const refused = await instance.signIn(tenant.token, key);
        expectError(api, refused, 'RESOURCE_EXHAUSTED', 'TOO_MANY_FAILED_SIGN_INS');
        expect(retryAfter(api, refused.response)).toBe(WINDOW_MS / 2 / 1000);
      }
    }
    gateway.clock.advance(WINDOW_MS / 2);
    expect(await reasonOf(api.signIn(tenant.token, wrong))).toBe('INVALID_CREDENTIALS');
    expect(await reasonOf(api.signIn(tenant.token, app))).toBe('ok');
  });

  test('the right key works for another credential or another address, and for another app', async () => {
    const { tenant, app, wrong } = await seedApp(api);
    const second = keyOf(await createApp(api, tenant.token));
    for (let count = 0; count <= LIMIT; count += 1) await api.signIn(tenant.token, wrong);
    expect(await reasonOf(api.signIn(tenant.token, app))).toBe('TOO_MANY_FAILED_SIGN_INS');

    expect(await reasonOf(api.signIn(tenant.token, second))).toBe('ok');
    const { accessToken } = await createAccountToken(gateway.admin, tenant, 3600);
    expect(await reasonOf(api.signIn(accessToken, app))).toBe('ok');
    const { text } = await postSignIn(api, gateway.url, tenant.token, app, {
      'x-forwarded-for': '192.0.2.7',
    });
    expect(text).toContain('"accessToken":"paw_app_');
  });

  test('a failure counts in a request with an Idempotency-Key as well', async () => {
    const { tenant, app, wrong } = await seedApp(api);
    for (let count = 1; count <= LIMIT; count += 1) {
      await postSignIn(api, gateway.url, tenant.token, wrong, { 'idempotency-key': `key-${count}` });
    }
    expect(await reasonOf(api.signIn(tenant.token, app))).toBe('TOO_MANY_FAILED_SIGN_INS');
  });

  test('an app that does not exist is refused like one that does', async () => {
    const { tenant, wrong } = await seedApp(api);
    const missing = { ...wrong, name: MISSING_APP };
    for (let count = 0; count <= LIMIT; count += 1) {
      const [existing, unknown] = [
        await api.signIn(tenant.token, wrong),
        await api.signIn(tenant.token, missing),
      ];
      expect(withoutRequestId(unknown.response)).toEqual(withoutRequestId(existing.response));
      expect(unknown.error?.reason).toBe(count < LIMIT ? 'INVALID_CREDENTIALS' : 'TOO_MANY_FAILED_SIGN_INS');
    }
  });

  test('of concurrent failures, only as many as allowed learn that the key is wrong', async () => {
    const { tenant, wrong } = await seedApp(api);
    const attempts = Array.from({ length: 4 * LIMIT }, () => reasonOf(api.signIn(tenant.token, wrong)));
    const reasons = await Promise.all(attempts);
    expect(reasons.filter((reason) => reason === 'INVALID_CREDENTIALS')).toHaveLength(LIMIT);
    expect(new Set(reasons)).toEqual(new Set(['INVALID_CREDENTIALS', 'TOO_MANY_FAILED_SIGN_INS']));
  });

  test('successful sign-ins do not count', async () => {
    const { tenant, app, wrong } = await seedApp(api);
    for (let count = 0; count <= LIMIT; count += 1) {
      expect(await reasonOf(api.signIn(tenant.token, app))).toBe('ok');
    }
    expect(await reasonOf(api.signIn(tenant.token, wrong))).toBe('INVALID_CREDENTIALS');
  });
});

test('each sign-in of a GraphQL document counts', async () => {
  const [graphql] = bothApis(() => gateway.url);
  const { tenant, app, wrong } = await seedApp(graphql);
  const inputs = [wrong, wrong, wrong, wrong, app];
  const fields = inputs.map((_, n) => `s${n}: signIn(input: $i${n}) { accessToken }`).join(' ');
  const definitions = inputs.map((_, n) => `$i${n}: SignInInput!`).join(', ');
  const variables = Object.fromEntries(inputs.map((input, n) => [`i${n}`, input]));
  const response = await postGraphql(
    gateway.url,
    tenant.token,
    `mutation (${definitions}) { ${fields} }`,
    variables,
  );
  const { data, errors } = JSON.parse(response.text);
  expect(data).toEqual({ s0: null, s1: null, s2: null, s3: null, s4: null });
  const reasons = errors.map(({ extensions }: { extensions: { reason: string } }) => extensions.reason);
  expect(reasons.slice(0, LIMIT)).toEqual(Array(LIMIT).fill('INVALID_CREDENTIALS'));
  expect(reasons.slice(LIMIT)).toEqual(Array(2).fill('TOO_MANY_FAILED_SIGN_INS'));
});

test('an account has at most 1,000 counts, and the oldest are dropped first', async () => {
  const { database } = gateway;
  const { account } = await seedTenant(gateway);
  const newId = idGenerator(() => 0);
  const [accountId, now] = [ulidOf(account), gateway.clock()];
  const attempts = Array.from({ length: 1002 }, () => ({
    accountId,
    appId: newId(),
    credentialId: newId(),
    address: '192.0.2.1',
  }));
  await database.transaction(async (transaction) => {
    const target: Parameters<typeof addSignInFailure>[0] = {
      write: transaction.write,
      queryAndInsert: (...change) => queryThenInsert(transaction, ...change),
    };
    for (const [index, attempt] of attempts.entries()) {
      await addSignInFailure(target, attempt, now, now + 1000 + index, eventOf(accountId, newId()));
    }
  });
  const counts = await Promise.all(attempts.map((attempt) => findSignInFailures(database, attempt, now)));
  expect(counts.slice(0, 2)).toEqual([undefined, undefined]);
  expect(counts.slice(2).filter((count) => count === undefined)).toEqual([]);
});

function eventOf(accountId: Ulid, id: Ulid): AuditEventRow {
  return {
    account_id: accountId,
    id,
    action: 'sign_in.fail',
    resource: resourceName('accounts', accountId),
    credential_id: null,
    token_id: null,
    fields: '',
    address: null,
    request_id: null,
    event_count: 1,
  };
}

function retryAfter({ name }: Api, { headers, text }: HttpResponse): number {
  return name === 'REST'
    ? Number(headers.get('retry-after'))
    : JSON.parse(text).errors[0].extensions.retryAfterSeconds;
}

test('a failure counts after another mutation of a request with an Idempotency-Key, which is undone', async () => {
  const [graphql] = bothApis(() => gateway.url);
  const { tenant, app, wrong } = await seedApp(graphql);
  const document = `mutation ($signIn: SignInInput!) {
    createApp(input: { title: "App", active: true }) { app { name } }
    signIn(input: $signIn) { accessToken }
  }`;
  for (let count = 1; count <= LIMIT; count += 1) {
    const key = { 'idempotency-key': `key-${count}` };
    const { text } = await postGraphql(gateway.url, tenant.token, document, { signIn: wrong }, key);
    expect(JSON.parse(text)).toMatchObject({
      data: null,
      errors: [{ extensions: { reason: 'INVALID_CREDENTIALS' } }],
    });
  }
  expect(await reasonOf(graphql.signIn(tenant.token, app))).toBe('TOO_MANY_FAILED_SIGN_INS');
});

test('of the guesses in one request with an Idempotency-Key, only as many as allowed are checked', async () => {
  const [graphql] = bothApis(() => gateway.url);
  const { tenant, wrong } = await seedApp(graphql);
  const guesses = Array.from({ length: 2 * LIMIT }, (_, n) => `a${n}: signIn(input: $wrong) { accessToken }`);
  const document = `mutation ($wrong: SignInInput!) { ${guesses.join(' ')} }`;
  const key = { 'idempotency-key': 'guesses' };
  const { text } = await postGraphql(gateway.url, tenant.token, document, { wrong }, key);
  const reasons = JSON.parse(text).errors.map(({ extensions }: { extensions: object }) => extensions);
  expect(reasons).toMatchObject([
    ...Array(LIMIT).fill({ reason: 'INVALID_CREDENTIALS' }),
    ...Array(LIMIT).fill({ reason: 'TOO_MANY_FAILED_SIGN_INS' }),
  ]);
});
