// @module-tag night/memory

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { readiness } from '../../support/both-apis.ts';
import { startGatewayWithHooks, testDatabase } from '../../support/gateway.ts';
import { startServerProcess } from '../../support/run-command.ts';

const CONNECTIONS = 250;

const FOLDER = new URL('../../../src/pages/assets/', import.meta.url);

/** Returns the paths of all routes of GET, with the names of the largest files in place of parameters. */
async function readPaths(): Promise<readonly string[]> {
  const patterns: string[] = [];
  const gateway = await startGatewayWithHooks((app) => {
    app.addHook('onRoute', ({ method, url }) => {
      if ([method].flat().includes('GET')) patterns.push(url);
    });
  });
  await gateway.stop();
  const asset = readdirSync(FOLDER).find((file) => /^scalar-.*\.js\.gz$/.test(file));
  const values: Readonly<Record<string, string>> = {
    '/assets/:file': `/assets/${asset?.replace('.gz', '')}`,
    '/docs/:page': '/docs/api.md',
    '/covers/:file': '/covers/01M7XVFACX7TDDST8TMXWW608M.svg',
  };
  return patterns.map((pattern) => values[pattern] ?? pattern);
}

/** Returns the largest memory that a process had so far, in MB. */
function peakOf(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1000;
}

/** Sends the same request on many connections at once, and waits until each has a response, of which nothing is read. */
async function flood(url: string, head: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: CONNECTIONS }, () => connect(Number(port), hostname));
  await Promise.all(
    sockets.map(async (socket) => {
      await once(socket, 'connect');
      socket.write(head);
      await once(socket, 'readable');
    }),
  );
  for (const socket of sockets) socket.destroy();
}

/** Returns requests that need no token: for all pages and documents, and the largest bodies. */
async function readRequests(): Promise<readonly string[]> {
  const paths = await readPaths();
  expect(paths.length).toBeGreaterThan(15);
  const gets = paths.flatMap((path) =>
    ['*/*', 'text/html'].map((accept) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: ${accept}\r\n\r\n`),
  );
  const post = (path: string, type: string, body: string) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const graphql = (body: string) => post('/graphql', 'application/json', body);
  return [
    ...gets,
    graphql(JSON.stringify({ query: '{__typename}', variables: { x: Array(30_000).fill({}) } })),
    graphql(JSON.stringify({ query: `{${'_:__typename'.repeat(499)}}${'#\n'.repeat(30_000)}` })),
    graphql(JSON.stringify({ query: `{${'x'.repeat(100_000)}}` })),
    post('/oauth/token', 'application/x-www-form-urlencoded', 'x='.repeat(50_000)),
  ];
}

test('what needs no token takes little memory, however many ask for it and read nothing', async () => {
  const { url } = await testDatabase();
  const server = await startServerProcess({ DATABASE_URL: url, NODE_OPTIONS: '--max-old-space-size=256' });
  for (const request of await readRequests()) await flood(server.url, request);
  expect(peakOf(server.pid)).toBeLessThan(400);
  expect(await readiness(server.url)).toBe(200);
});
