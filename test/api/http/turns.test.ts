import { beforeAll, expect, test } from 'vitest';
import { postGraphql } from '../../support/both-apis.ts';
import { type Gateway, seedTenant, startGatewayWithHooks } from '../../support/gateway.ts';

const TITLES = Array.from({ length: 90 }, (_, n) => `title${n}: title`).join(' ');

/** A query whose response can have 9,000 fields. */
const LARGE = `{ projects(first: 100) { nodes { ${TITLES} } } }`;

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

test.each([
  ['the first executions', (name: string) => `{ projects { nodes { title } } } # ${name}`],
  ['the large compiled queries', () => LARGE],
])(
  '%s of an account are answered in their order, and a query of another account before their end',
  async (_, queryOf) => {
    const [account, neighbour] = [await seedTenant(gateway), await seedTenant(gateway)];
    const responses: Promise<{ text: string }>[] = [];
    const ask = async (token: string, name: string, query: string) => {
      responses.push(postGraphql(gateway.url, token, query, {}, { 'x-name': name }));
      await expect.poll(() => releases.length).toBe(responses.length);
    };
    const answerAll = async () => {
      for (const release of releases.splice(0)) release();
      for (const { text } of await Promise.all(responses.splice(0)))
        expect(JSON.parse(text).errors).toBeUndefined();
    };
    for (const name of ['first', 'second']) {
      await ask(account.token, name, LARGE);
      await answerAll();
    }
    answered.length = 0;
    for (const name of QUEUE) await ask(account.token, name, queryOf(name));
    await ask(neighbour.token, 'neighbour', '{ projects { nodes { title } } } # neighbour');
    await answerAll();
    expect(answered.filter((name) => name !== 'neighbour')).toEqual(QUEUE);
    // A few turns of the event loop after the first one, and not after all.
    expect(answered.indexOf('neighbour')).toBeLessThan(QUEUE.length / 2);
  },
);
