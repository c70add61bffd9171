import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { type HttpResponse, send } from '../support/apis.ts';
import { useGateway } from '../support/gateway.ts';
import { BROWSER, constantHeaders, elementsOf, hashes, policyOf, request } from '../support/pages.ts';

const gateway = useGateway();

test.each([
  '/nothing',
  '/nothing/at/all/',
  '//nothing',
  '/nothing?from=/a/b',
  '/assets/none.js',
  '/covers/none',
])('the unknown path %s is a page in a browser, which links to the start page', async (path) => {
  const { status, headers, text } = await browse(path);
  expect(status).toBe(404);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(policyOf(headers)).toEqual({
    'default-src': `'none'`,
    'base-uri': `'none'`,
    'form-action': `'none'`,
    'frame-ancestors': `'none'`,
    'img-src': `'self' data:`,
    'style-src': hashes(elementsOf('style', text)),
  });
  const links = [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, link = '']) => link);
  // A proxy serves the gateway under a path prefix.
  const targets = links.map((link) => new URL(link, `https://paw.example/prefix${path}`).href);
  const paths = ['', 'console', 'graphiql', 'docs', ''];
  expect(targets).toEqual(paths.map((target) => `https://paw.example/prefix/${target}`));
});

test('an unknown path is not part of its page', async () => {
  const response = await request(gateway.url, {
    path: '/secret"><script>secret()</script>',
    headers: BROWSER,
  });
  expect(response.statusCode).toBe(404);
  expect(await text(response)).not.toMatch(/secret|<script/);
});

test('the page for a long unknown path is short', async () => {
  const { status, text } = await browse('/'.repeat(8000));
  expect(status).toBe(404);
  expect(text.length).toBeLessThan(8000);
});

test('a response to HEAD for an unknown path has the headers of GET', async () => {
  const options = { path: '/nothing', headers: BROWSER };
  const head = await request(gateway.url, { ...options, method: 'HEAD' });
  const get = await request(gateway.url, options);
  expect([head.statusCode, get.statusCode]).toEqual([404, 404]);
  expect(constantHeaders(head)).toEqual(constantHeaders(get));
});

test.each([
  ['GET', undefined],
  ['GET', ''],
  ['GET', '*/*'],
  ['GET', 'application/json'],
  ['GET', 'application/json, text/html'],
  ['GET', 'text/html;q=0.9, application/json'],
  ['GET', 'image/avif,image/webp,*/*;q=0.8'],
  ['POST', BROWSER.accept],
  ['DELETE', BROWSER.accept],
])('an unknown path is an error in JSON for %s that accepts %s', async (method, accept) => {
  const headers = accept === undefined ? {} : { accept };
  await expectJsonError(await request(gateway.url, { path: '/nothing', method, headers }));
});

test.each(['/auth', '/auth/nothing', '/wallet', '/project/nothing', '/project?x', '/graphql/nothing'])(
  'the unknown path %s of an API is an error in JSON in a browser, too',
  async (path) => {
    await expectJsonError(await request(gateway.url, { path, headers: BROWSER }));
  },
);

function browse(path: string): Promise<HttpResponse> {
  return send(gateway.url + path, 'GET', undefined, undefined, BROWSER);
}

async function expectJsonError(response: IncomingMessage): Promise<void> {
  expect(response.statusCode).toBe(404);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  const message = 'The path does not exist.';
  const details = [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'PATH_NOT_FOUND',
      domain: 'paw-gateway',
      metadata: { requestId: response.headers['x-request-id'] },
    },
  ];
  expect(await text(response)).toBe(
    JSON.stringify({ error: { code: 404, message, status: 'NOT_FOUND', details } }),
  );
}
