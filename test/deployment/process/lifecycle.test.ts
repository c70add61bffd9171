import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { mutationDocument, readResponse, send } from '../../support/both-apis.ts';
import { seedTenant, startGateway, testDatabase, useGateway, useTenant } from '../../support/gateway.ts';
import { NO_RATE_LIMITS } from '../../support/no-rate-limits.ts';
import {
  listening,
  logLines,
  pawProcess,
  type Running,
  type RunningServer,
  type Settings,
  startProgram,
  startServerProcess,
} from '../../support/run-command.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const APP = '{"title":"App","active":true}';
const ENDED_WELL = { status: 0, stderr: '' };

const gateway = useGateway();
const tenant = useTenant(gateway);

/** Starts a server on the database of `gateway`. */
function start(settings: Settings = {}): Promise<RunningServer> {
  return startServerProcess({ DATABASE_URL: gateway.databaseUrl, ...settings });
}

async function isListening(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    () => true,
    () => false,
  );
}

describe('a server', () => {
  test('logs its URL in one line, and after SIGTERM serves for PAW_STOP_DELAY, is not ready, and ends with status 0', async () => {
    const server = await start({ PAW_STOP_DELAY: '5s' });
    expect(logLines(server.output())).toMatchObject([{ level: 30, msg: `listening on ${server.url}` }]);
    const get = (path: string) => send(server.url + path, 'GET', tenant.token);
    for (const path of ['/healthz', '/readyz']) {
      const { status, headers, text } = await get(path);
      expect([status, text]).toEqual([200, '{"status":"ok"}']);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
    const ended = server.stop('SIGTERM');
    await server.printed('"stopping"');
    const [ready, alive, projects] = await Promise.all(['/readyz', '/healthz', '/project/projects'].map(get));
    expect([ready?.status, alive?.status, projects?.status]).toEqual([503, 200, 200]);
    expect(ready?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(JSON.parse(ready?.text ?? '')).toMatchObject({ error: { code: 503, status: 'UNAVAILABLE' } });
    const { stdout, ...result } = await ended;
    expect(result).toEqual(ENDED_WELL);
    // The failed readiness probe is not logged as an error.
    const ends = ['stopping', 'stopped'].map((msg) => ({ level: 30, msg }));
    expect(logLines(stdout).slice(1)).toMatchObject(ends);
    expect(await isListening(server.url)).toBe(false);
    expect(() => process.kill(server.pid, 0)).toThrow('ESRCH');
  });

  // Fastify would open a second server for the other address of localhost, without the limits of connections and the stop.
  test('listens on one address if HOST is localhost, with a queue of 4,096 connections', async () => {
    const listened: unknown[] = [];
    const onListen = (message: unknown) => void listened.push((message as { options: object }).options);
    subscribe('tracing:net.server.listen:asyncStart', onListen);
    const server = await startGateway({ HOST: 'localhost' });
    unsubscribe('tracing:net.server.listen:asyncStart', onListen);
    await server.stop();
    expect(listened).toEqual([expect.objectContaining({ host: '127.0.0.1', backlog: 4096 })]);
  });

  test('completes the requests that it has begun before it ends', async () => {
    const server = await start();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());

    const creation = request(`${server.url}/auth/apps`, {
      agent,
      method: 'POST',
      headers: {
        authorization: `Bearer ${tenant.token}`,
        'content-type': 'application/json',
        'content-length': APP.length,
        expect: '100-continue',
      },
    });
    creation.flushHeaders();
    // The server sends this when it has read the headers, and waits for the body.
    await once(creation, 'continue');
    creation.write(APP.slice(0, 10));
    const idle = request(`${server.url}/healthz`, { agent }).end();
    const [idleSocket] = (await once(idle, 'socket')) as [Socket];
    const [healthy] = (await once(idle, 'response')) as [IncomingMessage];
    healthy.resume();
    const unused = connect(Number(new URL(server.url).port), '127.0.0.1').resume();
    await once(unused, 'connect');

    const ended = server.stop('SIGTERM');
    // Idle connections are closed when the server stops listening.
    await Promise.all([once(idleSocket, 'close'), once(unused, 'close')]);
    expect(await isListening(server.url)).toBe(false);
    creation.end(APP.slice(10));
    const [incoming] = (await once(creation, 'response')) as [IncomingMessage];
    const response = await readResponse(incoming);
    expect(response.status).toBe(200);
    // Otherwise a client with persistent connections would keep the server running.
    expect(response.headers.get('connection')).toBe('close');
    expect(await ended).toMatchObject(ENDED_WELL);
  });
});

/** Returns a function that sends requests on one connection, and returns the status and the instance that has responded. */
function connection(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return async (path: string, token: string, body?: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = request(url + path, { agent, method: body ? 'POST' : 'GET', headers }).end(body);
    const [incoming] = (await once(sent, 'response')) as [IncomingMessage];
    const { status, headers: received } = await readResponse(incoming);
    return { status, instance: received.get('x-request-id')?.split('-')[0] };
  };
}

test('servers with PAW_REUSE_PORT share a port, and each refuses a token that another one has revoked', async () => {
  const { url } = await start({ PAW_REUSE_PORT: 'on' });
  const { port: PORT } = new URL(url);
  await start({ PAW_REUSE_PORT: 'on', PORT });
  const connections = new Map<string | undefined, ReturnType<typeof connection>>();
  const connect = async () => {
    const send = connection(url);
    const { status, instance } = await send('/project/projects', tenant.token);
    expect(status).toBe(200);
    return connections.set(instance, send).size;
  };
  // The system chooses the server of each connection.
  await expect.poll(connect).toBe(2);
  const [first, second] = [...connections.values()];
  for (const [sender, other] of [
    [first, second],
    [second, first],
  ]) {
    const { token } = await seedTenant(gateway);
    expect(await other?.('/project/projects', token)).toMatchObject({ status: 200 });
    const signOut = { query: mutationDocument('signOut'), variables: { input: {} } };
    expect(await sender?.('/graphql', token, JSON.stringify(signOut))).toMatchObject({ status: 200 });
    expect(await other?.('/project/projects', token)).toMatchObject({ status: 401 });
  }

  const alone = await pawProcess(['serve'], { DATABASE_URL: gateway.databaseUrl, PORT });
  const stderr = `paw: Another program uses the port ${PORT}. Stop it, or set PORT to a different port.\n`;
  expect(alone).toEqual({ status: 1, stdout: '', stderr });
});

/** Starts a server that logs to a pipe, and returns its URL and database when it listens. */
async function startPiped(args: readonly string[] = []) {
  const { url: databaseUrl } = await testDatabase();
  const settings = { PORT: '0', DATABASE_URL: databaseUrl, PAW_STOP_DELAY: '0s', ...NO_RATE_LIMITS };
  const child = spawn(process.execPath, [...args, 'src/main.js', 'serve'], {
    cwd: ROOT,
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  while (!output.includes('listening on')) output += (await once(child.stdout, 'data')).join();
  return { child, databaseUrl, url: logLines(output).at(-1).url as string };
}

/** Sends requests whose lines in the log are larger than the 64 KiB of a pipe. */
async function sendMany(url: string): Promise<void> {
  for (let batch = 0; batch < 30; batch += 1) {
    await Promise.all(Array.from({ length: 30 }, () => send(`${url}/nothing`, 'GET')));
  }
}

test.each([
  ['a stop', 0],
  ['a failure', 1],
])('a log that nobody reads delays neither requests nor the end after %s', async (end, expected) => {
  const { child, databaseUrl, url } = await startPiped();
  child.stdout.pause();
  child.stderr.resume();
  await sendMany(url);
  const ended = once(child, 'exit');
  if (end === 'a stop') child.kill('SIGTERM');
  else {
    // The server ends with the next call of /readyz.
    await rm(databaseUrl.replace('sqlite:', ''));
    expect((await send(`${url}/readyz`, 'GET')).status).toBe(503);
  }
  expect(await ended).toEqual([expected, null]);
});

// Prints a line for each write of the log that fails.
const PRINT_FAILURES = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
const { writeSync } = fs;
fs.writeSync = (...args) => {
  try { return writeSync(...args); } catch (error) { console.error(error.code); throw error; }
};
syncBuiltinESMExports();`;

test('after the reader of the log has closed it, the server goes on, and writes no more lines', async () => {
  const { child, url } = await startPiped(['--import', `data:text/javascript,${PRINT_FAILURES}`]);
  child.stdout.destroy();
  await sendMany(url);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  let failures = '';
  for await (const data of child.stderr.setEncoding('utf8')) failures += data;
  expect(failures).toBe('EPIPE\n');
  expect(await ended).toEqual([0, null]);
});

/**
 * Runs a program with a `logger`, whose log is read only when it has printed an error, and so after its last line.
 *
 * @returns what it has logged, and its status or the signal that ended it
 */
async function runWithLateReader(program: string) {
  const open = `import { openLog } from '${ROOT}src/commands/cli/logger.ts'; const logger = openLog('info', 1);`;
  const words = ['--input-type=module', '--eval', open + program];
  const child = spawn(process.execPath, words, { cwd: ROOT, env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  await once(child.stderr.resume(), 'data');
  let output = '';
  for await (const data of child.stdout.setEncoding('utf8')) output += data;
  return { output, lines: logLines(output).map(({ line }) => line), ended: await closed };
}

// More than a pipe keeps.
const LOG_LINES = "for (let line = 0; line < 3000; line += 1) logger.info({ line }); console.error('last');";

test.each([
  ['a crash', "throw new Error('crash')", [1, null]],
  ['a normal end', '', [0, null]],
])('the lines before %s are in the log in their order, even if read late', async (_, end, expected) => {
  const { lines, ended } = await runWithLateReader(LOG_LINES + end);
  expect(ended).toEqual(expected);
  expect(lines).toEqual(Array.from({ length: 3000 }, (_, line) => line));
});

test('an error is in the log at once, after the lines before it', async () => {
  const killed = "logger.info({ line: 1 }); logger.error({ line: 2 }); process.kill(process.pid, 'SIGKILL');";
  const { lines, ended } = await runWithLateReader(`console.error('start'); ${killed}`);
  expect(ended).toEqual([null, 'SIGKILL']);
  expect(lines).toEqual([1, 2]);
});

test('of a log that nobody reads, a megabyte is kept, in whole lines and in their order', async () => {
  const program = `for (let line = 0; line < 3000; line += 1) logger.info({ line }, 'é'.repeat(500)); console.error('last')`;
  const { output, lines } = await runWithLateReader(program);
  const bytes = Buffer.byteLength(output);
  expect(bytes).toBeGreaterThan(1_000_000);
  // The pipe, which is a socket, keeps some in addition.
  expect(bytes).toBeLessThan(1_500_000);
  expect(lines).toEqual(lines.toSorted((a, b) => a - b));
});

test.each([
  ['npm start', ['start'], 'listening on '],
  ['npm run demo', ['run', 'demo'], 'Stop with'],
  // The shell of npm waits for the second command, and so does not replace itself by the server.
  ['npm exec', ['exec', '--call', 'node src/main.js serve; true'], 'listening on '],
])('after SIGTERM to %s, no server remains', async (_, words, awaited) => {
  const { url: databaseUrl } = await testDatabase();
  const settings = { PATH: String(process.env['PATH']), PORT: '0', DATABASE_URL: databaseUrl };
  const npm: Running = startProgram('npm', words, settings, ROOT);
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(await npm.printed(awaited)) ?? [];
  expect(await isListening(url)).toBe(true);
  await npm.stop('SIGTERM');
  await expect.poll(() => isListening(url)).toBe(false);
});

test('a process with too few file descriptors for its connections logs it, and goes on', async () => {
  const { url: DATABASE_URL } = await testDatabase();
  const words = ['-c', 'ulimit -n 200; exec "$@"', 'sh', process.execPath, 'src/main.js', 'serve'];
  const settings = { PATH: String(process.env['PATH']), PORT: '0', DATABASE_URL };
  const server = await listening(startProgram('/bin/sh', words, settings, ROOT));
  const { hostname, port } = new URL(server.url);
  const sockets = Array.from({ length: 200 }, () => connect(Number(port), hostname).on('error', () => {}));
  await server.printed('too few file descriptors for more connections');
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => isListening(server.url)).toBe(true);
  expect(await server.stop('SIGTERM')).toMatchObject(ENDED_WELL);
});
