import { decodeTime } from 'ulid';
import { expect, test } from 'vitest';
import { restApi } from '../support/both-apis.ts';
import { seedTenant, useGateway } from '../support/gateway.ts';
import {
  createAccountToken,
  createApp,
  credentialParts,
  graphqlBody,
  projectTokenOf,
  tokenNameOf,
  tokenStatus,
  ulidOf,
} from '../support/requests.ts';

const HOUR_MS = 3_600_000;

const TOKENS = `{ tokens {
  totalCount
  nodes {
    id name title level readOnly onlyProject project { name } app { name } createTime expireTime current
  }
} }`;

const VIEWER = '{ viewer { name level account project { name } app { name privateKey } expireTime } }';

const gateway = useGateway();
const api = restApi(() => gateway.url);

test('the list of tokens has the valid tokens of the account and of its apps, in the order of their issue', async () => {
  const { account, token, projects } = await seedTenant(gateway, { projects: 2 });
  const [project, second] = projects;
  const app = await createApp(api, token);
  // The ids of two generators sort by time only if the time differs.
  gateway.clock.advance(1);
  const restricted = { account, onlyProject: second, readOnly: true, title: 'Dashboard' };
  const { accessToken } = await createAccountToken(gateway.operator, restricted, 60);
  gateway.clock.advance(1);
  const ofApp = await projectTokenOf(api, token, app);
  const common = { title: '', readOnly: false, onlyProject: false, app: null, current: false };
  const nodes = [
    { ...common, ...expectedOf(token, 90 * 86_400), level: 'ACCOUNT', project: { name: project } },
    {
      ...{ ...common, ...expectedOf(accessToken, 60), level: 'ACCOUNT', project: { name: second } },
      ...{ title: 'Dashboard', readOnly: true, onlyProject: true },
    },
    {
      ...{ ...common, ...expectedOf(ofApp, 3600), level: 'PROJECT', project: { name: project } },
      ...{ onlyProject: true, app: { name: app.name } },
    },
  ] as const;
  // The viewer has the same fields as the list.
  for (const [bearer, { name, level, project: its, app: own, expireTime }] of [
    [token, nodes[0]],
    [ofApp, nodes[2]],
  ] as const) {
    const viewer = { name, level, account, project: its, app: own && { ...own, privateKey: '' }, expireTime };
    expect(await graphqlBody(gateway.url, bearer, VIEWER)).toEqual({ data: { viewer } });
  }
  gateway.clock.advance(1);
  const readOnly = await createAccountToken(gateway.operator, { account, readOnly: true }, 1);
  const page = async (reader: string) => (await graphqlBody(gateway.url, reader, TOKENS)).data.tokens;

  const all = await page(readOnly.accessToken);
  expect(all.nodes.slice(0, 3)).toEqual(nodes);
  expect(all.nodes.at(-1)).toMatchObject({ id: `tokens/${readOnly.id}`, readOnly: true, current: true });
  expect(all.totalCount).toBe(4);

  gateway.clock.advance(1000);
  expect(await page(token)).toEqual({
    totalCount: 3,
    nodes: [{ ...nodes[0], current: true }, nodes[1], nodes[2]],
  });
});

test('the list of tokens shows the last use of a token, which is stored once an hour', async () => {
  const { account, token } = await seedTenant(gateway);
  const create = async () => (await createAccountToken(gateway.operator, { account }, 86_400)).accessToken;
  const [used, ...barriers] = [await create(), await create(), await create()];
  const uses = async () => {
    const { data } = await graphqlBody(gateway.url, token, '{ tokens { nodes { id lastUseTime } } }');
    const nodes: readonly { id: string; lastUseTime: string | null }[] = data.tokens.nodes;
    return (text = '') => nodes.find(({ id }) => ulidOf(id) === credentialParts(text).id)?.lastUseTime;
  };
  // The uses are stored one after the other, and after the response.
  const use = async (barrier: string | undefined) => {
    for (const each of [used, barrier]) expect(await tokenStatus(api, each ?? '')).toBe('ok');
    await expect.poll(async () => (await uses())(barrier)).toBe(now());
    return (await uses())(used);
  };
  const now = () => new Date(gateway.clock()).toISOString();

  expect((await uses())(used)).toBeNull();
  const firstUse = now();
  expect(await use(barriers[0])).toBe(firstUse);
  gateway.clock.advance(HOUR_MS - 1);
  expect(await use(barriers[1])).toBe(firstUse);
  gateway.clock.advance(1);
  expect(await tokenStatus(api, used ?? '')).toBe('ok');
  await expect.poll(async () => (await uses())(used)).toBe(now());
});

/** The names and times of a token in the list. */
function expectedOf(token: string, lifeSeconds: number) {
  const name = tokenNameOf(token);
  const issueMs = decodeTime(ulidOf(name));
  const [createTime, expireTime] = [issueMs, issueMs + 1000 * lifeSeconds].map((ms) =>
    new Date(ms).toISOString(),
  );
  return { id: name, name, createTime, expireTime };
}
