import { beforeAll, expect, test } from 'vitest';
import { postGraphql } from '../../support/apis.ts';
import { type Gateway, seedTenant, startGatewayWithHooks } from '../../support/gateway.ts';

const QUEUE = Array.from({ length: 20 }, (_, n) => `queued ${n}`);

let gateway: Gateway;
/** Functions that continue the requests whose bodies have been read. */
const releases: (() => void)[] = [];
/** The documents of the requests in the order of their responses. */
const answered: string[] = [];

beforeAll(async () => {
  gateway = await startGatewayWithHooks((app) => {
    app.addHook('preHandler', () => new Promise<void>((resolve) => void releases.push(resolve)));
    app.addHook('onSend', async ({ headers }) => void answered.push(String(headers['x-name'])));
  });
  return gateway.stop;
});

test('the first executions of an account are answered in their order, and one of another account before their end', async () => {
  const [account, neighbour] = [await seedTenant(gateway), await seedTenant(gateway)];
  const responses: Promise<{ text: string }>[] = [];
  const ask = async (token: string, name: string) => {
    const query = `{ projects { nodes { title } } } # ${name}`;
    responses.push(postGraphql(gateway.url, token, query, {}, { 'x-name': name }));
    await expect.poll(() => releases.length).toBe(responses.length);
  };
  for (const name of QUEUE) await ask(account.token, name);
  await ask(neighbour.token, 'neighbour');
  for (const release of releases) release();
  for (const { text } of await Promise.all(responses)) expect(JSON.parse(text).errors).toBeUndefined();
  expect(answered.filter((name) => name !== 'neighbour')).toEqual(QUEUE);
  // A few turns of the event loop after the first one, and not after all.
  expect(answered.indexOf('neighbour')).toBeLessThan(QUEUE.length / 2);
});
