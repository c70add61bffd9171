import { describe, expect, test } from 'vitest';
import { insertTokenChange, type NewTokenRow } from '../../src/storage/tables/tokens.ts';
import { write } from '../../src/storage/work/change.ts';
import { graphqlApi, mutationDocument, postGraphql } from '../support/both-apis.ts';
import { textOf } from '../support/engine.ts';
import { seedTenant, type Tenant, useGateway } from '../support/gateway.ts';
import {
  accountToken,
  credentialParts,
  graphqlBody,
  mutate,
  payloadOf,
  tokenNameOf,
  tokenStatus,
  ulidOf,
} from '../support/requests.ts';
import { rowsOf } from '../support/rows.ts';
import { paw } from '../support/run-command.ts';

const DAY_MS = 86_400_000;

const TOKEN = 'id title level readOnly onlyProject project { id } app { id } maker createTime expireTime';
const SELECTION = `clientMutationId accessToken token { ${TOKEN} lastUseTime current }`;

const gateway = useGateway();
/** Another instance on the same database. */
const other = useGateway({}, gateway);
const everywhere = [gateway, other].map((instance) => graphqlApi(() => instance.url));

/** Creates a token, and returns the payload, or the extensions of the error. */
function create(token: string, input: object = {}, { url } = gateway) {
  return payloadOf(url, token, 'createToken', { title: 'Pipeline', ...input }, SELECTION);
}

const reasonOf = async (token: string, mutation: string, input: object) =>
  (await mutate(gateway.url, token, mutation, input)).errors?.[0].extensions.reason ?? 'ok';

const isoTime = (ms: number) => new Date(ms).toISOString();

test('a created token does what its maker may, but creates no tokens, and lists show its maker', async () => {
  const { account, token, project } = await seedTenant(gateway);
  // The ids of two generators sort by time only if the time differs.
  gateway.clock.advance(1);
  const { accessToken, token: created, clientMutationId } = await create(token, { clientMutationId: 'a' });
  expect(clientMutationId).toBe('a');
  expect(created).toEqual({
    ...{ id: tokenNameOf(accessToken), title: 'Pipeline', level: 'ACCOUNT', maker: tokenNameOf(token) },
    ...{ readOnly: false, onlyProject: false, project: { id: project }, app: null },
    ...{ createTime: isoTime(gateway.clock()), expireTime: isoTime(gateway.clock() - 1 + 90 * DAY_MS) },
    ...{ lastUseTime: null, current: false },
  });
  const query = `{ viewer { account maker } tokens { nodes { ${TOKEN} } } }`;
  const { data } = await graphqlBody(gateway.url, accessToken, query);
  expect(data.viewer).toEqual({ account, maker: tokenNameOf(token) });
  const { lastUseTime: _, current: __, ...listed } = created;
  expect(data.tokens.nodes).toEqual([expect.objectContaining({ maker: null }), listed]);
  expect(await reasonOf(accessToken, 'createProject', { title: 'New' })).toBe('ok');
  expect(await create(accessToken)).toMatchObject({ reason: 'OPERATOR_TOKEN_REQUIRED' });
});

test('a token is shown once: a repeated request has it again, and the database does not', async () => {
  const tenant = await seedTenant(gateway);
  const request = (bearer: string) =>
    postGraphql(
      ...([gateway.url, bearer, mutationDocument('createToken', 'accessToken')] as const),
      ...([{ input: { title: 'Once' } }, { 'idempotency-key': 'once' }] as const),
    );
  const first = await request(tenant.token);
  const { accessToken } = JSON.parse(first.text).data.createToken;
  const again = await request(tenant.token);
  expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
  expect(await textOf(gateway.database)).not.toContain(accessToken);
  const { text } = await request(await accountToken(gateway, tenant));
  expect(JSON.parse(text).errors).toMatchObject([{ extensions: { reason: 'IDEMPOTENCY_RESPONSE_SEALED' } }]);
});

test('a created token is as restricted as its maker wants', async () => {
  const { token, projects } = await seedTenant(gateway, { projects: 2 });
  const [first, second] = projects;
  const expireTime = isoTime(gateway.clock() + 60_000);
  const readOnly = await create(token, { readOnly: true, expireTime });
  expect(readOnly.token).toMatchObject({ readOnly: true, onlyProject: false, expireTime });
  expect(await reasonOf(readOnly.accessToken, 'createProject', { title: 'New' })).toBe('READ_ONLY_TOKEN');
  const limited = await create(token, { project: second });
  expect(limited.token).toMatchObject({ readOnly: false, onlyProject: true, project: { id: second } });
  const names = (bearer: string) => graphqlBody(gateway.url, bearer, '{ projects { nodes { id } } }');
  expect((await names(limited.accessToken)).data.projects.nodes).toEqual([{ id: second }]);
  expect((await names(readOnly.accessToken)).data.projects.nodes).toEqual([{ id: first }, { id: second }]);
  gateway.clock.advance(60_000);
  for (const api of everywhere) expect(await tokenStatus(api, readOnly.accessToken)).toBe('TOKEN_INVALID');
});

test('a created token lives for 90 days, or as long as is asked for, and never longer than its maker', async () => {
  const tenant = await seedTenant(gateway);
  const inDays = (days: number) => isoTime(gateway.clock() + days * DAY_MS);
  for (const [daysOfMaker, expireTime, expected] of [
    [91, undefined, inDays(90)],
    [91, inDays(91), inDays(91)],
    [89, null, inDays(89)],
    [89, inDays(1), inDays(1)],
  ] as const) {
    const maker = await accountToken(gateway, tenant, {}, daysOfMaker * 86_400);
    expect((await create(maker, { expireTime })).token.expireTime).toBe(expected);
  }
  const refused = await create(await accountToken(gateway, tenant, {}, 86_400), {
    expireTime: inDays(1.001),
  });
  expect(refused).toMatchObject({ reason: 'INVALID_FIELD', fieldViolations: [{ field: 'expireTime' }] });
});

/** The ways in which a token ends. */
const ENDS: Readonly<Record<string, (maker: string, tenant: Tenant) => Promise<unknown>>> = {
  'is revoked': (maker, { token }) => reasonOf(token, 'revokeToken', { id: tokenNameOf(maker) }),
  'is signed out': (maker) => reasonOf(maker, 'signOut', {}),
  'is revoked by OAuth': (maker) =>
    fetch(`${other.url}/oauth/revoke`, { method: 'POST', body: new URLSearchParams({ token: maker }) }),
  'is revoked by its id': (maker) => command('token', 'revoke', '--id', credentialParts(maker).id),
  'is revoked with its account': (_, { account }) => command('token', 'revoke', '--account', account),
  expires: async () => gateway.clock.advance(DAY_MS),
};

const command = async (...words: string[]) => {
  const { status, stdout } = await paw([...words, '--json'], { DATABASE_URL: gateway.databaseUrl });
  expect(status).toBe(0);
  return JSON.parse(stdout);
};

describe('with its maker', () => {
  test.each(Object.entries(ENDS))('a token ends on every instance if that %s', async (_, end) => {
    const tenant = await seedTenant(gateway);
    const maker = await accountToken(gateway, tenant);
    const { accessToken } = await create(maker);
    for (const api of everywhere) expect(await tokenStatus(api, accessToken)).toBe('ok');
    await end(maker, tenant);
    for (const api of everywhere) expect(await tokenStatus(api, accessToken)).toBe('TOKEN_INVALID');
  });

  test('a token is listed and revoked by the commands, and counts in a deletion of the account', async () => {
    const tenant = await seedTenant(gateway);
    const { account, token } = tenant;
    await create(token);
    const { tokens } = await command('token', 'list', '--account', account);
    expect(tokens.map(({ maker }: { maker: string }) => maker).toSorted()).toEqual([
      '',
      credentialParts(token).id,
    ]);
    expect(await command('token', 'revoke', '--account', account)).toEqual({ revoked: 2 });
    await create(await accountToken(gateway, tenant));
    expect(await command('account', 'delete', account, '--yes')).toMatchObject({ tokens: 2 });
  });

  test('a token ends that revokes it, and the rest of its request is refused', async () => {
    const { token } = await seedTenant(gateway);
    const { accessToken } = await create(token);
    const document = `mutation ($id: ID!) {
      revokeToken(input: { id: $id }) { revokedTokenId }
      createProject(input: { title: "Late" }) { project { id } }
    }`;
    const { data, errors } = await graphqlBody(gateway.url, accessToken, document, {
      id: tokenNameOf(token),
    });
    expect(data).toEqual({ revokeToken: { revokedTokenId: tokenNameOf(token) }, createProject: null });
    expect(errors).toMatchObject([{ extensions: { reason: 'TOKEN_INVALID' } }]);
  });
});

test('a token creates at most 1,000 valid tokens, also by concurrent requests to two instances', async () => {
  const { account, token, project } = await seedTenant(gateway);
  const { newId } = gateway.operator;
  const made = (): NewTokenRow => ({
    account_id: ulidOf(account),
    id: newId(),
    project_id: ulidOf(project),
    app_id: null,
    app_key_id: null,
    maker_token_id: ulidOf(tokenNameOf(token)),
    hash: '',
    title: '',
    is_one_project: 0,
    is_read_only: 0,
    expire_time_ms: gateway.clock() + DAY_MS,
  });
  await gateway.database.transaction(async (transaction) => {
    for (let n = 0; n < 999; n += 1) await write(transaction, insertTokenChange(made()));
  });
  const creations = await Promise.all(
    Array.from({ length: 12 }, (_, n) => create(token, {}, n % 2 ? gateway : other)),
  );
  expect(creations.filter(({ accessToken }) => accessToken)).toHaveLength(1);
  const before = await rowsOf(gateway.database, 'token', account);
  const document = mutationDocument('createToken');
  const refused = await postGraphql(gateway.url, token, document, { input: { title: 'More' } });
  expect(JSON.parse(refused.text).errors[0].extensions).toMatchObject({
    ...{ code: 'FAILED_PRECONDITION', status: 'FAILED_PRECONDITION', reason: 'TOO_MANY_TOKENS' },
  });
  expect(refused.headers.has('retry-after')).toBe(false);
  expect(await rowsOf(gateway.database, 'token', account)).toHaveLength(before.length);
  // Those that have expired do not count.
  gateway.clock.advance(DAY_MS);
  expect(await create(token)).toHaveProperty('accessToken');
});
