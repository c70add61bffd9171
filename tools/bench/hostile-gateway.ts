import http, { type IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { WASI } from 'node:wasi';
import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { type FaultPoints, startServer } from '../../src/server.ts';

// A gateway that measures itself, for `hostile.ts`. Its parent process sends it commands.

/** A command of the parent process. It is answered when it is done. */
export type Command = 'start' | 'stop' | 'memory';

/** Where the gateway listens, and its routes, as a method and a pattern each. */
export type Listening = { readonly url: string; readonly routes: readonly string[] };

/**
 * The longest turn of the event loop, in milliseconds of processor time, and the headers that were read; or after `memory`,
 * the bytes that are in use after a full collection.
 */
export type Measured = { readonly ms: number; readonly headers: readonly string[]; readonly bytes: number };

const headers = new Set<string>();
// The clock of the thread. That of `process.threadCpuUsage` moves in steps of 4 ms.
const THREAD_CLOCK = 3;
// The types of Node lack it.
const { Memory } = Reflect.get(globalThis, 'WebAssembly');
const memory = new Memory({ initial: 1 });
const wasi = new WASI({ version: 'preview1' });
wasi.finalizeBindings({ exports: { memory } }, { memory });

let isMeasuring = false;
let longest = 0;
let before = 0;

/** A request that records which of its headers are read. */
class RecordingRequest extends IncomingMessage {
  // @ts-expect-error The types declare a property, and Node defines an accessor.
  override get headers(): IncomingHttpHeaders {
    return new Proxy(Reflect.get(IncomingMessage.prototype, 'headers', this), {
      get(target, name) {
        if (typeof name === 'string') headers.add(name);
        return Reflect.get(target, name);
      },
    });
  }
}

const { createServer } = http;
http.createServer = ((options: http.ServerOptions, handle: http.RequestListener) =>
  createServer({ ...options, IncomingMessage: RecordingRequest }, handle)) as typeof createServer;

const nothing = new Writable({ write: (_line, _encoding, done) => done() });
const routes: string[] = [];
const faults: FaultPoints = {
  wrapDatabase: (database) => database,
  addHooks(app) {
    app.addHook('onRoute', ({ method, url: pattern }) => {
      for (const each of [method].flat()) routes.push(`${each} ${pattern.replaceAll('::', ':')}`);
    });
  },
};
const { url } = await startServer(readConfig(process.env), pino(nothing), { faults });
process.on('message', async (command: Command) => {
  if (command === 'start') {
    headers.clear();
    isMeasuring = true;
    longest = 0;
    before = processorMs();
    measureTurn();
    process.send?.('started');
  } else {
    isMeasuring = false;
    const bytes = command === 'memory' ? await bytesInUse() : 0;
    process.send?.({ ms: longest, headers: [...headers], bytes } satisfies Measured);
  }
});
process.send?.({ url, routes } satisfies Listening);

/** What a collection makes unreachable, such as by finalizers, is collected by the next one. */
async function bytesInUse(): Promise<number> {
  for (let n = 0; n < 2; n += 1) {
    await setTimeout(20);
    globalThis.gc?.();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Measures each turn of the event loop. */
function measureTurn(): void {
  const now = processorMs();
  longest = Math.max(longest, now - before);
  before = now;
  if (isMeasuring) setImmediate(measureTurn);
}

function processorMs(): number {
  wasi.wasiImport['clock_time_get'](THREAD_CLOCK, 1n, 0);
  return Number(new DataView(memory.buffer).getBigUint64(0, true)) / 1e6;
}
