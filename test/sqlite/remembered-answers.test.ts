import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createProject } from '../../src/commands/project-create.ts';
import { answeredFrom } from '../answered-from.ts';
import { paw } from '../command/paw.ts';
import { bothFaces, postGraphql, send } from '../faces.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../gateway.ts';

// What was answered is kept in memory, which nobody may notice.

const PROJECTS = '{ projects { totalCount nodes { title } } }';
const WALLET = 'query ($id: ID!) { node(id: $id) { ... on Wallet { title } } }';

const COMPILED = 'compiled operation';

const answers = answeredFrom();
let gateway: Gateway;
let tenant: Tenant;
let asked = 0;

beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

beforeEach(async () => {
  tenant = await seedTenant(gateway, { projects: 2, wallets: 1 });
});

/** Asks the gateway, and finds out what it answered from. */
async function ask(query: string, variables: object = {}, token = tenant.token) {
  asked += 1;
  const id = `asked-${asked}`;
  const headers = { 'x-request-id': id };
  const body = { query, variables };
  const { status, text } = await send(`${gateway.url}/graphql`, 'POST', token, body, headers);
  return { status, data: JSON.parse(text).data, from: answers.get(id) };
}

test('what is asked again and again is answered from memory', async () => {
  const said = [];
  for (let times = 0; times < 5; times += 1) said.push(await ask(PROJECTS));
  expect(said.map(({ from }) => from)).toEqual([undefined, COMPILED, COMPILED, 'memory', 'memory']);
  for (const each of said) expect(each).toMatchObject({ status: 200, data: said[0]?.data });
  expect(said[0]?.data.projects.totalCount).toBe(2);
});

describe('an answer shows at once', () => {
  test.each(['GraphQL', 'REST'])('what was changed by %s', async (name) => {
    const face = bothFaces(() => gateway.url).find((each) => each.name === name);
    const [id = ''] = tenant.wallets;
    for (let n = 0; n < 5; n += 1) {
      for (let times = 0; times < 4; times += 1) {
        expect((await ask(WALLET, { id })).data.node.title).toBe(n === 0 ? 'Wallet 1' : `Title ${n - 1}`);
      }
      await face?.updateWallet(tenant.token, id, { title: `Title ${n}` });
    }
  });

  test.each(['GraphQL', 'REST'])('what another process has changed, by %s', async (name) => {
    const face = bothFaces(() => gateway.url).find((each) => each.name === name);
    const { account } = tenant;
    for (let n = 2; n < 7; n += 1) {
      for (let times = 0; times < 4; times += 1) {
        const { value } = (await face?.listProjects(tenant.token)) ?? {};
        expect(value?.projects.map(({ title }) => title).slice(2)).toEqual(Array(n - 2).fill('Another'));
      }
      await createProject(gateway.workplace, { account, title: 'Another', description: '' });
    }
  });

  test('that a token has been revoked, or has expired', async () => {
    const { token: other } = await seedTenant(gateway);
    const list = (token: string) => send(`${gateway.url}/project/projects`, 'GET', token);
    for (const token of [tenant.token, other]) {
      for (let times = 0; times < 4; times += 1) {
        expect([(await ask(PROJECTS, {}, token)).status, (await list(token)).status]).toEqual([200, 200]);
      }
    }
    await paw(['token', 'revoke', tenant.token], { DATABASE_URL: gateway.databaseUrl });
    expect([(await ask(PROJECTS)).status, (await list(tenant.token)).status]).toEqual([401, 401]);
    expect([(await ask(PROJECTS, {}, other)).status, (await list(other)).status]).toEqual([200, 200]);
    gateway.clock.advance(86_400_000);
    expect([(await ask(PROJECTS, {}, other)).status, (await list(other)).status]).toEqual([401, 401]);
  });
});

test('nobody is told what another was answered', async () => {
  const { token: foreign } = await seedTenant(gateway, { projects: 4 });
  const tokens = [tenant.token, foreign, await projectToken()];
  for (let times = 0; times < 4; times += 1) {
    const counts = await Promise.all(tokens.map((token) => ask(PROJECTS, {}, token)));
    expect(counts.map(({ data }) => data.projects.totalCount)).toEqual([2, 4, 1]);
    const pages = await Promise.all(
      tokens.map((token) => send(`${gateway.url}/project/projects`, 'GET', token)),
    );
    expect(pages.map(({ text }) => JSON.parse(text).projects.length)).toEqual([2, 4, 1]);
  }
  expect((await postGraphql(gateway.url, undefined, PROJECTS)).status).toBe(401);

  // What would be the question of the project's token if all were put in a row.
  const [project = ''] = tenant.projects;
  const body = JSON.stringify({ query: PROJECTS, variables: {} });
  const askAsProject = (token: string) =>
    send(`${gateway.url}/graphql`, 'POST', token, `${project.slice('projects/'.length)} ${body}`);
  for (let times = 0; times < 4; times += 1) expect((await askAsProject(tenant.token)).status).toBe(400);
});

test('an error is not remembered', async () => {
  const wrong = { first: 0 };
  const document = 'query ($first: Int) { projects(first: $first) { totalCount } }';
  await ask(document, { first: 1 });
  for (let times = 0; times < 4; times += 1) {
    expect(await ask(document, wrong)).toMatchObject({ data: null, from: COMPILED });
    expect((await send(`${gateway.url}/project/projects?pageSize=0`, 'GET', tenant.token)).status).toBe(400);
  }
});

test('an answer is never older than what had been acknowledged when it was asked for', async () => {
  const second = await startGateway({ DATABASE_URL: gateway.databaseUrl }, gateway.clock);
  onTestFinished(second.stop);
  const [id = ''] = tenant.wallets;
  const write =
    'mutation ($id: ResourceName!, $title: String) { updateWallet(input: { name: $id, title: $title }) { wallet { id } } }';
  let acknowledged = 0;
  let reads = 0;
  let isWriting = true;

  async function keepWriting() {
    for (let n = 1; n <= 150; n += 1) {
      const { url } = n % 2 === 0 ? gateway : second;
      const { text } = await postGraphql(url, tenant.token, write, { id, title: String(n) });
      expect(JSON.parse(text).errors).toBeUndefined();
      acknowledged = n;
    }
    isWriting = false;
  }
  async function keepReading({ url }: Gateway) {
    while (isWriting) {
      const least = acknowledged;
      const { text } = await postGraphql(url, tenant.token, WALLET, { id });
      const { title } = JSON.parse(text).data.node;
      if (title !== 'Wallet 1') expect(Number(title)).toBeGreaterThanOrEqual(least);
      else expect(least).toBe(0);
      reads += 1;
    }
  }
  await Promise.all([keepWriting(), ...[gateway, second, gateway, second].map(keepReading)]);
  expect(reads).toBeGreaterThan(150);
});

test('what is not wanted any more makes room for what is', async () => {
  const { token } = await seedTenant(gateway, { projects: 100 });
  const fields = Array.from({ length: 20 }, (_, n) => `url${n}: imageCoverUrl`).join(' ');
  const document = `{ projects(first: 100) { nodes { ${fields} } } }`;
  const askFor = async (n: number) => (await ask(document, { n }, token)).from;
  await askFor(0);
  for (let n = 1; n <= 40; n += 1) expect([await askFor(n), await askFor(n)]).toEqual([COMPILED, COMPILED]);
  expect([await askFor(1), await askFor(40)]).toEqual([COMPILED, 'memory']);
});

/** Signs in with an app of the tenant's default project. */
async function projectToken(): Promise<string> {
  const [face] = bothFaces(() => gateway.url);
  const app = await face?.createApp(tenant.token, { title: 'App', active: true });
  const { name, privateKey } = app?.value ?? {};
  const signedIn = await face?.signIn(tenant.token, { name, privateKey });
  return signedIn?.value?.accessToken ?? '';
}
