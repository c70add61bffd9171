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
  /** The resident memory, in MB (10^6 bytes). */
  residentMb(): number;
  stop(): Promise<void>;
};

/** Bytes of the heap that were allocated, that survived a collection, and that were promoted to the old generation. */
export type HeapBytes = { readonly allocated: number; readonly survived: number; readonly promoted: number };

export const PUBLIC_URL = 'http://127.0.0.1:4000';

// Source: proc(5). Times are in units of sysconf(_SC_CLK_TCK), which is always 100 on Linux.
const TICKS_PER_SECOND = 100;

/** The core of the measured process. */
export const SERVER_CORE = '0';

/** The core of the load generator. */
export const LOAD_CORE = '1';

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
  /** The minimum duration of a file sync, in milliseconds; needs `strace`. */
  readonly syncMs?: number;
  /** Whether the gateway logs all requests. The other servers log nothing. */
  readonly isLogging?: boolean;
  /** The folder of another commit of the gateway. */
  readonly root?: string;
  /** The file with the responses of the server `bare`. */
  readonly responses?: string;
};

/**
 * Starts a program of `servers/`, or the gateway itself, on the core for servers.
 *
 * @param url the URL of its database
 */
export async function startContender(
  name: string,
  url: string,
  { syncMs = 0, isLogging = false, root = ROOT, responses = '' }: ContenderOptions = {},
): Promise<Contender> {
  const program =
    name === 'gateway' ? PROGRAM : [fileURLToPath(new URL(`./servers/${name}.ts`, import.meta.url))];
  const command = [...(syncMs > 0 ? slowDisk(syncMs) : []), process.execPath, ...FLAGS, ...program];
  const child = spawn('taskset', ['-c', SERVER_CORE, ...command], {
    cwd: root,
    // With its own process group, a server that runs under strace also gets the signals.
    detached: true,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      PAW_LOG_REQUESTS: isLogging ? 'all' : 'none',
      ...NO_RATE_LIMITS,
      PORT: '0',
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
    // With a slow disk, the child process is strace and not the server.
    cpuSeconds: () => (syncMs > 0 ? Number.NaN : threadSecondsOf(child.pid)),
    heap: () => ({ ...heap }),
    residentMb: () => residentMbOf(child.pid),
    async stop() {
      process.kill(-(child.pid ?? 0));
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

/** Returns the command prefix that delays each sync of a program. */
function slowDisk(syncMs: number): readonly string[] {
  const inject = `--inject=fsync,fdatasync:delay_enter=${syncMs * 1000}`;
  return [
    'strace',
    '--follow-forks',
    '--seccomp-bpf',
    '--output=/dev/null',
    '--trace=fsync,fdatasync',
    inject,
  ];
}

/** The processor time of all threads of a process, in seconds. In nanoseconds, where `stat` has hundredths of a second. */
function threadSecondsOf(pid: number | undefined): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map((id) =>
    readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'latin1').split(' ', 1),
  );
  return times.reduce((sum, [nanoseconds]) => sum + Number(nanoseconds), 0) / 1e9;
}

/** The processor time of a process and of its children that have ended, in seconds. */
export function cpuSecondsOf(pid: number | undefined): number {
  // The program name, in parentheses, may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ');
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / TICKS_PER_SECOND;
}

/** The resident memory of a process, in MB (10^6 bytes). */
export function residentMbOf(pid: number | undefined): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return (Number(kilobytes) * 1024) / 1e6;
}
