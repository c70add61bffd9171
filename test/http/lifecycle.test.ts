import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { answerOf, send } from '../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';
import { expectDocumented } from '../support/rest-contract.ts';

const URL_TEXT = /http:\/\/127\.0\.0\.1:\d+/;
const APP = '{"title":"App","active":true}';

let gateway: Gateway;
let tenant: Tenant;

beforeAll(async () => {
  gateway = await startGateway();
  tenant = await seedTenant(gateway);
  return gateway.stop;
});

test.each(['/healthz', '/readyz'])('%s is well and needs no token', async (path) => {
  const { status, headers, text } = await send(gateway.url + path, 'GET');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(JSON.parse(text)).toEqual({ status: 'ok' });
});

describe('the program', () => {
  test('says in one line where it listens, once it answers there', async () => {
    const program = start();
    const line = await program.nextLine();
    const [url] = URL_TEXT.exec(line) ?? [];
    expect(JSON.parse(line)).toMatchObject({ level: 30, msg: expect.stringContaining('listening') });
    expect((await send(`${url}/readyz`, 'GET')).status).toBe(200);
    program.child.kill('SIGTERM');
    // That the next line is of its end means that it had said no more.
    expect(JSON.parse(await program.nextLine())).toMatchObject({ level: 30, msg: 'stopping' });
    expect(await program.ended).toEqual({ code: 0, signal: null, errors: '' });
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'ends with 0 on %s, be it at once, and leaves nothing running',
    async (signal) => {
      const { child, logged, ended } = start();
      const url = await logged(URL_TEXT);
      child.kill(signal);
      expect(await ended).toEqual({ code: 0, signal: null, errors: '' });
      await expect(fetch(`${url}/healthz`)).rejects.toThrow();
      expect(() => process.kill(child.pid ?? Number.NaN, 0)).toThrow('ESRCH');
    },
  );

  test('serves on for PAW_STOP_DELAY after SIGTERM, but says that it is not ready', async () => {
    const { child, logged, nextLine, ended } = start({ PAW_STOP_DELAY: '1s' });
    const url = await logged(URL_TEXT);
    expect((await send(`${url}/readyz`, 'GET')).status).toBe(200);
    child.kill('SIGTERM');
    await logged(/"stopping"/);
    const [ready, alive, projects] = await Promise.all([
      send(`${url}/readyz`, 'GET'),
      send(`${url}/healthz`, 'GET'),
      send(`${url}/project/projects`, 'GET', tenant.token),
    ]);
    expect(ready.status).toBe(503);
    expect(ready.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(JSON.parse(ready.text)).toMatchObject({ error: { code: 503, status: 'UNAVAILABLE' } });
    expect(alive.status).toBe(200);
    expect(projects.status).toBe(200);
    expect(JSON.parse(projects.text).projects).toHaveLength(1);
    expect(await ended).toEqual({ code: 0, signal: null, errors: '' });
    // A probe that is told so is no fault: the log ended with the stop.
    await expect(nextLine()).rejects.toThrow('ended');
  });

  test('answers what it has been asked before it ends', async () => {
    const { child, logged, ended } = start();
    const url = await logged(URL_TEXT);
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());

    const asking = request(`${url}/auth/apps`, {
      agent,
      method: 'POST',
      headers: {
        authorization: `Bearer ${tenant.token}`,
        'content-type': 'application/json',
        'content-length': APP.length,
        expect: '100-continue',
      },
    });
    asking.flushHeaders();
    // The server says so when it has the head of the request, and waits for its body.
    await once(asking, 'continue');
    asking.write(APP.slice(0, 10));
    const idle = request(`${url}/healthz`, { agent }).end();
    const [idleSocket] = (await once(idle, 'socket')) as [Socket];
    const [healthy] = (await once(idle, 'response')) as [IncomingMessage];
    expect(JSON.parse(await text(healthy))).toEqual({ status: 'ok' });

    child.kill('SIGTERM');
    // An idle connection is closed as soon as nothing new is taken.
    await once(idleSocket, 'close');
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    asking.end(APP.slice(10));
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    const answer = await answerOf(response);
    expectDocumented('POST', '/auth/apps', answer);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ title: 'App', active: true });
    // Or else a client that keeps its connections would keep the server, too.
    expect(answer.headers.get('connection')).toBe('close');
    expect(await ended).toEqual({ code: 0, signal: null, errors: '' });
  });

  test('finds at its next start what it was told before', async () => {
    const first = start();
    const url = await first.logged(URL_TEXT);
    const { name, privateKey } = JSON.parse((await send(`${url}/auth/apps`, 'POST', tenant.token, APP)).text);
    first.child.kill('SIGTERM');
    await first.ended;

    const second = start();
    const nextUrl = await second.logged(URL_TEXT);
    const body = { privateKey: { name, privateKey } };
    const signedIn = await send(`${nextUrl}/auth/accounts:signinIdentity`, 'POST', tenant.token, body);
    expect(signedIn.status).toBe(200);
    const { accessToken, app } = JSON.parse(signedIn.text);
    expect(app).toEqual({ name, title: 'App', privateKey: '', active: true });
    const listed = await send(`${nextUrl}/project/projects`, 'GET', accessToken);
    expect(JSON.parse(listed.text)).toMatchObject({ projects: [{ name: tenant.projects[0] }] });
  });

  test('says in one line that its port is taken, and ends with 1', async () => {
    const { ended, nextLine } = start({ PORT: new URL(gateway.url).port });
    const { code, errors } = await ended;
    expect(errors).toMatch(/^paw: [^\n]*address already in use[^\n]*\n$/);
    expect(code).toBe(1);
    await expect(nextLine()).rejects.toThrow('ended');
  });
});

type Program = {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** The next line of its log. */
  nextLine(): Promise<string>;
  /** What matches in the next line of its log where something does. */
  logged(pattern: RegExp): Promise<string>;
  /** How it ended, when all that it wrote is here. */
  readonly ended: Promise<{ code: number | null; signal: string | null; errors: string }>;
};

/** Starts the program on the database of `gateway`. It ends with the test at the latest. */
function start(settings: Readonly<Record<string, string>> = {}): Program {
  const child = spawn(process.execPath, ['src/main.js', 'serve'], {
    cwd: new URL('../..', import.meta.url),
    env: { PORT: '0', DATABASE_URL: gateway.databaseUrl, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const errors = text(child.stderr);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  async function nextLine(): Promise<string> {
    const { value, done } = await lines.next();
    if (done) throw new Error(`The program has ended: ${await errors}`);
    return value;
  }
  async function logged(pattern: RegExp): Promise<string> {
    return pattern.exec(await nextLine())?.[0] ?? logged(pattern);
  }
  return {
    child,
    nextLine,
    logged,
    ended: once(child, 'close').then(async ([code, signal]) => ({ code, signal, errors: await errors })),
  };
}
