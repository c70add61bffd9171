import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { vi } from 'vitest';
import { freePort } from './free-port.ts';

/** A browser with one page. */
export type Driver = {
  /** Returns the value of an expression in the page. */
  evaluate(expression: string): Promise<unknown>;
  setSize(width: number, height: number): Promise<void>;
  /** Returns the errors of the page as far as the browser reports them. */
  readonly errors: readonly string[];
  close(): Promise<void>;
};

/** The results of Firefox, by the commands. */
type FirefoxResults = {
  readonly 'session.new': unknown;
  readonly 'session.subscribe': unknown;
  readonly 'browsingContext.getTree': { readonly contexts: readonly [{ readonly context: string }] };
  readonly 'browsingContext.setViewport': unknown;
  readonly 'script.evaluate': { readonly result: { readonly value: string } };
};

/** Starts Firefox. Source: w3c.github.io/webdriver-bidi. */
export async function startFirefox(): Promise<Driver> {
  const profile = mkdtempSync(join(tmpdir(), 'paw-firefox-'));
  const firefox = spawn('firefox-esr', ['--headless', '--profile', profile, '--remote-debugging-port=0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const url = await find(firefox.stderr, /WebDriver BiDi listening on (ws:\S+)/);
  // Firefox would wait at a full pipe.
  firefox.stderr.resume();
  const socket = new WebSocket(`${url}/session`);
  await once(socket, 'open');
  const errors: string[] = [];
  const pending = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  socket.addEventListener('message', ({ data }) => {
    const { id, type, result, message, params } = JSON.parse(String(data));
    if (type === 'event' && params.level === 'error') errors.push(params.text);
    const waiting = pending.get(id);
    if (type === 'error') waiting?.reject(new Error(message));
    else waiting?.resolve(result);
  });
  let last = 0;
  const send = <Command extends keyof FirefoxResults>(method: Command, params: object) =>
    new Promise<FirefoxResults[Command]>((resolve, reject) => {
      last += 1;
      pending.set(last, { resolve, reject });
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  const { contexts } = await send('browsingContext.getTree', {});
  const [{ context }] = contexts;
  return {
    errors,
    async evaluate(expression) {
      const { result } = await send('script.evaluate', {
        expression: `JSON.stringify(${expression})`,
        target: { context },
        awaitPromise: true,
      });
      return JSON.parse(result.value);
    },
    async setSize(width, height) {
      await send('browsingContext.setViewport', { context, viewport: { width, height } });
    },
    async close() {
      await stop(firefox);
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** Starts WebKitGTK on a display of its own. It reports no errors of a page. Source: w3.org/TR/webdriver. */
export async function startWebKit(): Promise<Driver> {
  const port = await freePort();
  const driver = spawn('xvfb-run', ['-a', 'WebKitWebDriver', `--port=${port}`], { detached: true });
  const send = async <Value>(method: string, path: string, body?: object): Promise<Value> => {
    const response = await fetch(`http://127.0.0.1:${port}/session${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await response.json()) as { value: Value & { readonly message?: string } };
    if (!response.ok) throw new Error(value.message);
    return value;
  };
  const options = { binary: globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser')[0], args: ['--automation'] };
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } };
  const start = () => send<{ readonly sessionId: string }>('POST', '', { capabilities });
  const { sessionId } = await vi.waitFor(start, { timeout: 60_000 });
  return {
    errors: [],
    evaluate: (expression) =>
      send('POST', `/${sessionId}/execute/async`, {
        script: `Promise.resolve(${expression}).then(arguments[0])`,
        args: [],
      }),
    async setSize(width, height) {
      await send('POST', `/${sessionId}/window/rect`, { width, height });
    },
    async close() {
      await send('DELETE', `/${sessionId}`);
      if (driver.pid) process.kill(-driver.pid);
    },
  };
}

/** Returns the group of the first line that matches. */
async function find(stream: Readable, pattern: RegExp): Promise<string> {
  for await (const line of createInterface(stream)) {
    const [, found] = pattern.exec(line) ?? [];
    if (found) return found;
  }
  throw new Error(`No line matches ${pattern}.`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill();
  await once(child, 'exit');
}
