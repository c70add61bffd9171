import { buffer, text } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { send } from '../../support/both-apis.ts';
import { useGateway } from '../../support/gateway.ts';
import { constantHeaders, request } from '../../support/pages.ts';

const gateway = useGateway();

test.each([
  '/assets/',
  '/assets/graphiql.js',
  '/assets/graphiql-AAAAAAAA.js',
  '/assets/constructor',
  '/assets/../package.json',
  '/assets/..%2Fpackage.json',
  '/assets/%2e%2e%2f%2e%2e%2fpackage.json',
  '/assets/..%5Cpackage.json',
])('%s is 404', async (path) => {
  const body = await text(await request(gateway.url, { path }));
  expect(JSON.parse(body).error.details[0].reason).toBe('PATH_NOT_FOUND');
});

const DECODE = { br: brotliDecompressSync, gzip: gunzipSync } as const;

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['deflate', undefined],
  ['identity', undefined],
  [undefined, undefined],
] as const)('a client that accepts the codings %s gets an asset as %s', async (accepted, coding) => {
  const page = await send(`${gateway.url}/graphiql`, 'GET');
  const [path = ''] = /\/assets\/[^"]+/.exec(page.text) ?? [];
  const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
  const response = await request(gateway.url, { path, headers });
  const body = await buffer(response);
  expect(response.headers).toMatchObject({
    'content-length': String(body.length),
    'cache-control': 'public, max-age=31536000, immutable',
    vary: expect.stringMatching(/\baccept-encoding$/),
  });
  expect(response.headers['content-encoding']).toBe(coding);
  const content = coding === undefined ? body : DECODE[coding](body);
  // fetch decodes the body itself.
  expect(content.toString()).toBe((await send(gateway.url + path, 'GET')).text);
  for (const stored of [`${path}.br`, `${path}.gz`]) {
    expect((await send(gateway.url + stored, 'GET')).status).toBe(404);
  }
  const head = await request(gateway.url, { path, headers, method: 'HEAD' });
  expect((await buffer(head)).length).toBe(0);
  expect(constantHeaders(head)).toEqual(constantHeaders(response));
});
