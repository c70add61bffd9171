import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { bothApis, type HttpResponse, postGraphql, send } from '../support/apis.ts';
import { seedTenant, startGateway } from '../support/gateway.ts';

const INITIALIZATION = 'fastify.initialization';

test('a hook of the HTTP server runs once for every request of both APIs', async () => {
  const seen: string[] = [];
  const addHook = (message: unknown) => {
    (message as { fastify: FastifyInstance }).fastify.addHook('onResponse', (request, reply, done) => {
      seen.push(`${request.id} ${reply.statusCode}`);
      done();
    });
  };
  subscribe(INITIALIZATION, addHook);
  onTestFinished(() => {
    unsubscribe(INITIALIZATION, addHook);
  });
  const { url, ...gateway } = await startGateway();
  onTestFinished(gateway.stop);
  const { token, wallets } = await seedTenant(gateway, { projects: 3, wallets: 1 });

  const answers: HttpResponse[] = [];
  for (const api of bothApis(() => url)) {
    for (let times = 0; times < 3; times += 1) {
      const { value: app, response } = await api.createApp(token, { title: 'App', active: true });
      const { name, privateKey } = app ?? {};
      const outcomes = [
        await api.signIn(token, { name, privateKey }),
        await api.updateWallet(token, wallets[0] ?? '', { title: 'Title' }),
        await api.listProjects(token, { first: 2 }),
        await api.listProjects(token, { first: 0 }),
        await api.listProjects('nonsense'),
      ];
      answers.push(response, ...outcomes.map((outcome) => outcome.response));
    }
  }
  const query = '{ projects { edges { cursor } } }';
  for (let times = 0; times < 3; times += 1) {
    answers.push(await postGraphql(url, token, query), await postGraphql(url, undefined, query));
  }
  answers.push(
    await postGraphql(url, token, '{'),
    await send(`${url}/graphql?query=${encodeURIComponent(query)}`, 'GET', token),
    await send(`${url}/graphql`, 'POST', token, '{"query":'),
    await send(`${url}/graphql`, 'PUT', token),
    await send(`${url}/nothing`, 'GET'),
    await send(`${url}/readyz`, 'GET'),
  );
  const expected = answers.map(({ headers, status }) => `${headers.get('x-request-id')} ${status}`);
  await expect.poll(() => seen.length).toBe(expected.length);
  expect(seen.toSorted()).toEqual(expected.toSorted());
});
