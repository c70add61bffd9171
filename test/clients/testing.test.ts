import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { type FaultName, startGateway, type TestGateway } from '../../src/testing/gateway.ts';
import { graphqlBody, projectTokenOf, reasonOf, tokenStatus } from '../support/actors.ts';
import { type Api, bothApis } from '../support/apis.ts';
import { startProgram } from '../support/paw.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

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

test('the tests in docs/testing.md pass, in at most 60 lines', async () => {
  const [, program = ''] = /^```js\n(.*?)^```$/ms.exec(readFileSync(`${ROOT}/docs/testing.md`, 'utf8')) ?? [];
  expect(program.split('\n').length).toBeLessThanOrEqual(61);
  const options = ['-C', 'development', '--input-type=module', '--test-reporter=tap', '--eval'];
  const { stdout } = await startProgram(process.execPath, [...options, program], {}, ROOT).ended;
  expect(stdout).toContain('# pass 5\n# fail 0\n');
});
