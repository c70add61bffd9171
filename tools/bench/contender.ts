import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { NO_RATE_LIMITS } from '../../test/support/no-rate-limits.ts';

/** A measured process. */
export type Contender = {
  readonly name: string;
  readonly url: string;
  /** The processor time used so far, in seconds. */
  cpuSeconds(): number;
  /** The resident memory, in MB (10^6 bytes). */
  residentMb(): number;
  stop(): Promise<void>;
};

export const PUBLIC_URL = 'http://127.0.0.1:4000';

// Source: proc(5). Times are in units of sysconf(_SC_CLK_TCK), which is always 100 on Linux.
const TICKS_PER_SECOND = 100;

/** The core of the measured process. */
export const SERVER_CORE = '0';

/** The core of the load generator. */
export const LOAD_CORE = '1';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

// The command of `npm start`. All contenders get its V8 flags.
const [, COMMAND = '']: readonly string[] = JSON.parse(
  readFileSync(`${ROOT}package.json`, 'utf8'),
).scripts.start.split(' node ');
const START = COMMAND.split(' ');
const FLAGS = START.filter((word) => word.startsWith('--'));

/** How a contender runs. */
export type ContenderOptions = {
  /** The minimum duration of a file sync, in milliseconds; needs `strace`. */
  readonly syncMs?: number;
  /** Whether the gateway logs all requests. The other servers log nothing. */
  readonly isLogging?: boolean;
};

/**
 * Starts a program of `servers/`, or the gateway itself, on the core for servers.
 *
 * @param url the URL of its database
 */
export async function startContender(
  name: string,
  url: string,
  { syncMs = 0, isLogging = false }: ContenderOptions = {},
): Promise<Contender> {
  const program =
    name === 'gateway' ? START : [...FLAGS, fileURLToPath(new URL(`./servers/${name}.ts`, import.meta.url))];
  const command = [...(syncMs > 0 ? slowDisk(syncMs) : []), process.execPath, ...program];
  const child = spawn('taskset', ['-c', SERVER_CORE, ...command], {
    cwd: ROOT,
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
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let address: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    address = JSON.parse(line).url;
    if (address !== undefined) break;
  }
  if (address === undefined) throw new Error(`${name} ended.`);
  // The log is read and forgotten.
  child.stdout.resume();
  return {
    name,
    url: address,
    // With a slow disk, the child process is strace and not the server.
    cpuSeconds: () => (syncMs > 0 ? Number.NaN : cpuSecondsOf(child.pid)),
    residentMb: () => residentMbOf(child.pid),
    async stop() {
      process.kill(-(child.pid ?? 0));
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
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
