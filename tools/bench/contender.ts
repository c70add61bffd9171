import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { NO_RATE_LIMITS } from '../../test/support/no-rate-limits.ts';

/** A measured process. */
export type Contender = {
  readonly name: string;
  readonly url: string;
  /** The processor time that all threads have used so far, in seconds. */
  cpuSeconds(): number;
  /** What the garbage collections so far have reported. */
  heap(): HeapBytes;
  stop(): Promise<void>;
};

/** Bytes of the heap that were allocated, that survived a collection, and that were promoted to the old generation. */
export type HeapBytes = { readonly allocated: number; readonly survived: number; readonly promoted: number };

const PUBLIC_URL = 'http://127.0.0.1:4000';

/** The core of the measured process. */
export const SERVER_CORE = '0';

/** The core of the load generator. */
export const LOAD_CORE = '1';

/** The cores of instances that are measured together, and of their load generator. */
export const ALL_CORES = `${SERVER_CORE},${LOAD_CORE}`;

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

// The command of `npm start`. All contenders get its V8 flags, and write a line for each garbage collection.
const [, ...START]: readonly string[] = JSON.parse(
  readFileSync(`${ROOT}package.json`, 'utf8'),
).scripts.start.split(' ');
const FLAGS = [...START.filter((word) => word.startsWith('--')), '--trace-gc-nvp'];
const PROGRAM = START.filter((word) => !word.startsWith('--'));

// Of `--trace-gc-nvp`.
const COLLECTION = /^\[.* GC: (\{.*\})$/;

/** How a contender runs. */
export type ContenderOptions = {
  /** The folder of another commit of the gateway. */
  readonly root?: string;
  /** The file with the responses of the server `bare`. */
  readonly responses?: string;
  /** Whether it writes a line for each request. */
  readonly hasLog?: boolean;
  /** The port that it shares with other processes, on the cores of all. */
  readonly sharedPort?: string;
};

/**
 * Starts a program of `servers/`, or the gateway itself, on the core for servers.
 *
 * @param url the URL of its database
 */
export async function startContender(
  name: string,
  url: string,
  { root = ROOT, responses = '', hasLog = false, sharedPort }: ContenderOptions = {},
): Promise<Contender> {
  const program =
    name === 'gateway' ? PROGRAM : [fileURLToPath(new URL(`./servers/${name}.ts`, import.meta.url))];
  const command = [process.execPath, ...FLAGS, ...program];
  const cores = sharedPort === undefined ? SERVER_CORE : ALL_CORES;
  const child = spawn('taskset', ['-c', cores, ...command], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      PAW_LOG_REQUESTS: hasLog ? 'all' : 'none',
      ...NO_RATE_LIMITS,
      PORT: sharedPort ?? '0',
      ...(sharedPort !== undefined && { PAW_REUSE_PORT: 'on' }),
      PUBLIC_URL,
      DATABASE_FILE: url.replace(/^sqlite:/, ''),
      DATABASE_URL: url,
      RESPONSES: responses,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const heap = { allocated: 0, survived: 0, promoted: 0 };
  const address = Promise.withResolvers<string>();
  createInterface({ input: child.stdout })
    .on('line', (line) => {
      const [, collection] = COLLECTION.exec(line) ?? [];
      if (collection !== undefined) addCollection(heap, JSON.parse(collection));
      // The rest of the log is read and forgotten.
      const [, url] = /"url":"([^"]+)"/.exec(line) ?? [];
      if (url !== undefined) address.resolve(url);
    })
    .on('close', () => address.reject(new Error(`${name} ended.`)));
  return {
    name,
    url: await address.promise,
    cpuSeconds: () => threadSecondsOf(child.pid),
    heap: () => ({ ...heap }),
    async stop() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

function addCollection(
  heap: { allocated: number; survived: number; promoted: number },
  collection: Readonly<Record<'allocated' | 'new_space_survived' | 'promoted', number>>,
): void {
  heap.allocated += collection.allocated;
  heap.survived += collection.new_space_survived;
  heap.promoted += collection.promoted;
}

/** The processor time of all threads of a process, in seconds. In nanoseconds, where `stat` has hundredths of a second. */
function threadSecondsOf(pid: number | undefined): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map((id) =>
    readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'latin1').split(' ', 1),
  );
  return times.reduce((sum, [nanoseconds]) => sum + Number(nanoseconds), 0) / 1e9;
}

/** The resident memory of a process, in MB (10^6 bytes). */
export function residentMbOf(pid: number | undefined): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return (Number(kilobytes) * 1024) / 1e6;
}
