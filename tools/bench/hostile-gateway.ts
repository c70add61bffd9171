import http, { type IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Writable } from 'node:stream';
import { WASI } from 'node:wasi';
import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { startServer } from '../../src/server.ts';

// A gateway that measures itself, for `hostile.ts`. Its parent process sends it commands.

/** A command of the parent process. It is answered when it is done. */
export type Command = 'start' | 'stop';

/** The longest turn of the event loop, in milliseconds of processor time, and the headers that were read. */
export type Measured = { readonly ms: number; readonly headers: readonly string[] };

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
const { url } = await startServer(readConfig(process.env), pino(nothing));
process.on('message', (command: Command) => {
  if (command === 'start') {
    headers.clear();
    isMeasuring = true;
    longest = 0;
    before = processorMs();
    measureTurn();
    process.send?.('started');
  } else {
    isMeasuring = false;
    process.send?.({ ms: longest, headers: [...headers] } satisfies Measured);
  }
});
process.send?.(url);

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
