import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { type FaultName, startGateway, type TestGateway } from '../../../src/testing/gateway.ts';
import { type Api, bothApis } from '../../support/both-apis.ts';
import { graphqlBody, payloadOf, projectTokenOf, reasonOf, tokenStatus } from '../../support/requests.ts';
import { startProgram } from '../../support/run-command.ts';
import { codeBlocks } from './documented.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

let gateway: TestGateway;
const apis = bothApis(() => gateway.url);

beforeAll(async () => {
  gateway = await startGateway();
  return gateway.close;
});

/** Updates the title of the wallet. @returns the reason of a refusal, `ok`, or `lost` without a response */
function update(api: Api, title: string): Promise<string> {
  const [wallet = ''] = gateway.wallets;
  return reasonOf(api.updateWallet(gateway.token, wallet, { title })).catch(() => 'lost');
}

/** Returns the title of the wallet, as the gateway has it. */
async function titleOf({ url, token, wallets: [wallet] }: TestGateway): Promise<string> {
  const query = `{ node(id: "${wallet}") { ... on Wallet { title } } }`;
  return (await graphqlBody(url, token, query)).data.node.title;
}

const FAULTS: readonly (readonly [FaultName, string, isMade: boolean])[] = [
  ['answer-lost', 'lost', true],
  ['unavailable', 'UNAVAILABLE', false],
  ['result-unknown', 'RESULT_UNKNOWN', true],
  ['rate-limited', 'TOO_MANY_REQUESTS', false],
  ['slow', 'ok', true],
];

test.each(FAULTS)(
  'the fault %s is for one update, by either API, with the result %s',
  async (name, result, isMade) => {
    for (const [index, api] of apis.entries()) {
      const before = await titleOf(gateway);
      gateway.faults.next(name, { operation: 'updateWallet', delayMs: 1 });
      expect(await titleOf(gateway)).toBe(before);
      const title = `${name} ${index}`;
      expect(await update(api, title)).toBe(result);
      expect(await titleOf(gateway)).toBe(isMade ? title : before);
      expect(await update(api, 'Next')).toBe('ok');
    }
  },
);

test('a fault without an operation is for the next request, and a revoked token stays so', async () => {
  for (const api of apis) {
    const token = await projectTokenOf(api, gateway.token, gateway.app);
    expect(await tokenStatus(api, token)).toBe('ok');
    gateway.faults.next('token-revoked');
    expect([await tokenStatus(api, token), await tokenStatus(api, token)]).toEqual(
      Array(2).fill('TOKEN_INVALID'),
    );
  }
});

test('each account has addresses for new wallets', async () => {
  const other = await gateway.createAccount();
  for (const { token } of [gateway, other]) {
    const input = { title: 'Till', network: 'NETWORK_POLYGON' };
    const payload = await payloadOf(gateway.url, token, 'createWallet', input, 'wallet { address }');
    expect(payload.wallet.address).toMatch(/^0x[0-9a-fA-F]{40}$/);
  }
});

test('several gateways run at the same time, each with its own data and clock', async () => {
  await using other = await startGateway({
    seed: { projects: ['Shop', 'Depot'], wallets: ['Till', 'Safe'] },
  });
  expect([other.projects.length, other.wallets.length]).toEqual([2, 2]);
  expect(await titleOf(other)).toBe('Till');
  other.clock.advance('91d');
  expect((await other.fetch('/project/projects')).status).toBe(401);
  expect((await gateway.fetch('/project/projects')).status).toBe(200);
});

test('a slow request is answered after one that came later', async () => {
  const [api] = apis;
  gateway.faults.next('slow', { operation: 'updateWallet', delayMs: 1000 });
  const answered: string[] = [];
  const slow = update(api, 'Slow').then(() => answered.push('slow'));
  await titleOf(gateway).then(() => answered.push('later'));
  await slow;
  expect(answered).toEqual(['later', 'slow']);
});

test('a fault or an operation that does not exist is an error', () => {
  // @ts-expect-error: the types know the names, too.
  expect(() => gateway.faults.next('rate-limitted')).toThrow('There is no fault "rate-limitted"');
  // @ts-expect-error
  expect(() => gateway.faults.next('slow', { operation: 'updateWalet' })).toThrow(
    'no operation "updateWalet"',
  );
  gateway.faults.clear();
});

test('a fault lasts until it is cleared if it is for every request, and one without a request is an error', async () => {
  gateway.faults.every('unavailable', { operation: 'projects' });
  for (const _ of [1, 2]) expect((await gateway.fetch('/project/projects')).status).toBe(503);
  gateway.faults.clear();
  expect((await gateway.fetch('/project/projects')).status).toBe(200);
  gateway.faults.next('slow', { operation: 'updateWallet' });
  expect(() => gateway.faults.clear()).toThrow('No request had these faults: slow of updateWallet.');
  const other = await startGateway();
  other.faults.every('slow');
  await expect(other.close()).rejects.toThrow('slow');
});

test('a gateway has settings, further accounts and tokens that may only read', async () => {
  await using other = await startGateway({ settings: { PAW_INTROSPECTION: 'off' } });
  expect((await fetch(`${other.url}/schema.graphql`)).status).toBe(404);
  const account = await other.createAccount({ projects: ['Depot'], wallets: [] });
  expect(account.account).not.toBe(other.account);
  const readOnly = await account.createToken({ readOnly: true });
  const [api] = bothApis(() => other.url);
  expect(await tokenStatus(api, readOnly)).toBe('ok');
  expect(await reasonOf(api.createApp(readOnly, { title: 'App', active: true }))).toBe('READ_ONLY_TOKEN');
});

/** A client that repeats without a key. */
const WITHOUT_KEY = `const createFetch = ({ url, token }) => async (path, init = {}) => {
  const request = new Request(url + path, init);
  request.headers.set('authorization', 'Bearer ' + token);
  for (;;) {
    const response = await fetch(request.clone()).catch(() => undefined);
    if (response && response.status !== 503 && response.status !== 429) return response;
  }
};`;

test('the tests in docs/testing.md pass, in at most 60 lines, and fail with a client that makes an app twice', async () => {
  const [program = ''] = codeBlocks('Five tests', 'js', 'testing');
  expect(program.split('\n').length).toBeLessThanOrEqual(61);
  const options = ['-C', 'development', '--input-type=module', '--test-reporter=tap', '--eval'];
  const run = async (code: string) =>
    (await startProgram(process.execPath, [...options, code], {}, ROOT).ended).stdout;
  expect(await run(program)).toContain('# pass 5\n# fail 0\n');
  const red = await run(program.replace(/^import \{ createFetch \}.*$/m, WITHOUT_KEY));
  const titles = [...program.matchAll(/^test\('(.+?)',/gm)].map(([, title = '']) => title);
  const outcomes = [...red.matchAll(/^(ok|not ok) \d - (.*)$/gm)].map(([, outcome, title]) => [
    title,
    outcome,
  ]);
  const [lost, unconfirmed, , , readOnly] = titles;
  expect(outcomes).toEqual(
    expect.arrayContaining([
      [lost, 'not ok'],
      [unconfirmed, 'not ok'],
      [readOnly, 'ok'],
    ]),
  );
});

/** A client of the README, which prints whether its response is the one of an earlier try. */
const RENAME = `
import { createFetch } from 'paw-gateway/client';
async function renameWallet(url, token, wallet) {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'PATCH', headers, body: '{"title":"Takings"}' };
  const response = await createFetch({ url, token })('/wallet/' + wallet, init);
  console.log((await response.json()).title, response.headers.get('idempotency-replayed'));
}`;

test('the lines in the README start a gateway, and lose the response to an update that is applied', async () => {
  const [, program = ''] = /^```js\n(.*?)^```$/ms.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
  const options = ['-C', 'development', '--input-type=module', '--eval', program + RENAME];
  const result = await startProgram(process.execPath, options, {}, ROOT).ended;
  expect(result).toEqual({ status: 0, stdout: 'Takings true\n', stderr: '' });
});
