import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { useGateway } from '../../support/gateway.ts';
import { BROWSER, browse, request } from '../../support/pages.ts';

const gateway = useGateway();

test.each([
  '/nothing',
  '/nothing/at/all/',
  '//nothing',
  '/nothing?from=/a/b',
  '/assets/none.js',
  '/covers/none',
])('the unknown path %s is a page in a browser, which links to the start page', async (path) => {
  const { status, headers, text } = await browse(gateway.url + path);
  expect(status).toBe(404);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  const links = [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, link = '']) => link);
  // A proxy serves the gateway under a path prefix.
  const targets = links.map((link) => new URL(link, `https://paw.example/prefix${path}`).href);
  const paths = ['', 'console', 'graphiql', 'reference', 'docs', ''];
  expect(targets).toEqual(paths.map((target) => `https://paw.example/prefix/${target}`));
});

test('the page contains nothing of an unknown path, and is short', async () => {
  const path = `/secret"><script>secret()</script>${'/'.repeat(8000)}`;
  const response = await request(gateway.url, { path, headers: BROWSER });
  const html = await text(response);
  expect(response.statusCode).toBe(404);
  expect(html).not.toMatch(/secret|<script/);
  expect(html.length).toBeLessThan(8000);
});

test.each([
  ['GET', '/nothing', undefined],
  ['GET', '/nothing', ''],
  ['GET', '/nothing', '*/*'],
  ['GET', '/nothing', 'application/json'],
  ['GET', '/nothing', 'application/json, text/html'],
  ['GET', '/nothing', 'text/html;q=0.9, application/json'],
  ['GET', '/nothing', 'image/avif,image/webp,*/*;q=0.8'],
  ['POST', '/nothing', BROWSER.accept],
  ['DELETE', '/nothing', BROWSER.accept],
  // The paths of an API, in a browser.
  ...['/auth', '/auth/nothing', '/wallet', '/project/nothing', '/project?x', '/graphql/nothing'].map(
    (path) => ['GET', path, BROWSER.accept] as const,
  ),
] as const)('%s %s that accepts %s is an error in JSON', async (method, path, accept) => {
  const headers = accept === undefined ? {} : { accept };
  const response = await request(gateway.url, { path, method, headers });
  expect(response.statusCode).toBe(404);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  const { error } = JSON.parse(await text(response));
  expect(error).toMatchObject({ code: 404, message: 'The path does not exist.', status: 'NOT_FOUND' });
  const metadata = { requestId: response.headers['x-request-id'] };
  expect(error.details).toMatchObject([{ reason: 'PATH_NOT_FOUND', domain: 'paw-gateway', metadata }]);
});
