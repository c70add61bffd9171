import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { NO_RATE_LIMITS } from '../../test/support/no-rate-limits.ts';
import { residentMbOf, SERVER_CORE } from './contender.ts';
import type { Command, Listening, Measured } from './hostile-gateway.ts';
import type { HttpRequest } from './hostile-requests.ts';

/** The longest wait of another account's page, and the highest resident memory. */
export type Effect = { readonly waitMs: number; readonly peakMb: number };

const MAX_KEPT_MB = 60;

type Started = { readonly child: ChildProcess; readonly listening: Listening; readonly residentMb: number };

async function startChild(databaseUrl: string): Promise<Started> {
  const child = fork(new URL('./hostile-gateway.ts', import.meta.url), {
    execArgv: ['--max-semi-space-size=16', '--expose-gc', '--disable-warning=ExperimentalWarning'],
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      DATABASE_URL: databaseUrl,
      ...NO_RATE_LIMITS,
      PAW_LOG_REQUESTS: 'all',
      PAW_TRUSTED_PROXIES: '127.0.0.1,::1,10.0.0.0/8',
      PAW_CORS_ORIGINS: 'https://example.com,http://localhost:*',
      PAW_FEDERATION: 'on',
    },
  });
  const [listening] = await once(child, 'message');
  execFileSync('taskset', ['-cp', SERVER_CORE, String(child.pid)], { stdio: 'ignore' });
  return { child, listening, residentMb: residentMbOf(child.pid) };
}

/** A gateway that measures itself. */
export class MeasuredGateway {
  readonly #databaseUrl: string;
  #child: ChildProcess;
  #listening: Listening;
  #startMb: number;
  #requests = 0;

  private constructor(databaseUrl: string, { child, listening, residentMb }: Started) {
    this.#databaseUrl = databaseUrl;
    this.#child = child;
    this.#listening = listening;
    this.#startMb = residentMb;
  }

  static async start(databaseUrl: string): Promise<MeasuredGateway> {
    return new MeasuredGateway(databaseUrl, await startChild(databaseUrl));
  }

  get url(): string {
    return this.#listening.url;
  }

  get routes(): readonly string[] {
    return this.#listening.routes;
  }

  /** Sends requests one after the other, each when the one before is answered. */
  async measure(requests: readonly HttpRequest[]): Promise<Measured> {
    await this.#command('start');
    for (const request of requests) await this.#send(request);
    return this.#command('stop');
  }

  /** Returns the bytes in use after a full collection. */
  async bytes(): Promise<number> {
    return (await this.#command('memory')).bytes;
  }

  /** Sends requests at once, beside pages of another account, one after the other. */
  async atOnce(requests: readonly HttpRequest[], page: HttpRequest): Promise<Effect> {
    await this.bytes();
    // The process keeps what an earlier request has taken, which would hide what this one takes.
    if (residentMbOf(this.#child.pid) > this.#startMb + MAX_KEPT_MB) await this.#restart();
    // Source: proc(5). The highest resident memory begins again with that of now.
    writeFileSync(`/proc/${this.#child.pid}/clear_refs`, '5');
    const all = Promise.all(requests.map((request) => this.#send(request)));
    let isDone = false;
    const ended = all.finally(() => {
      isDone = true;
    });
    let waitMs = 0;
    do {
      const start = performance.now();
      await this.#send(page);
      waitMs = Math.max(waitMs, performance.now() - start);
    } while (!isDone);
    await ended;
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'latin1');
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
    return { waitMs, peakMb: (Number(kilobytes) * 1024) / 1e6 };
  }

  async stop(): Promise<void> {
    this.#child.kill();
    await once(this.#child, 'exit');
  }

  async #restart(): Promise<void> {
    await this.stop();
    const { child, listening } = await startChild(this.#databaseUrl);
    this.#child = child;
    this.#listening = listening;
  }

  async #command(command: Command): Promise<Measured> {
    this.#child.send(command);
    const [answer] = await once(this.#child, 'message');
    return answer;
  }

  async #send(request: HttpRequest): Promise<void> {
    const socket = connect(Number(new URL(this.url).port), '127.0.0.1');
    // The gateway may reject the request before it has read it.
    socket.on('error', () => {}).resume();
    this.#requests += 1;
    socket.end(Buffer.from(this.#textOf(request), 'latin1'));
    await new Promise((resolve) => socket.on('close', resolve));
  }

  #textOf({ method, path, headers, body }: HttpRequest): string {
    const bytes = Buffer.from(body ?? '');
    const all: Record<string, string> = {
      host: 'a',
      // Introspection has a limit by address.
      'x-forwarded-for': `192.0.${(this.#requests >> 8) % 256}.${this.#requests % 256}`,
      ...(body !== undefined && { 'content-length': String(bytes.length) }),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${bytes.toString('latin1')}`;
  }
}
