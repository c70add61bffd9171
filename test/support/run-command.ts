import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, vi } from 'vitest';
import { runCommandLine } from '../../src/commands/cli/command-line.ts';
import { LONG_DEADLINES } from './long-deadlines.ts';
import { NO_RATE_LIMITS } from './no-rate-limits.ts';

/** The result of a command. */
export type Result = {
  /** The exit status, or null if a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** A command that runs in a separate process. */
export type Running = {
  readonly pid: number;
  /** Standard output so far. */
  output(): string;
  /** Waits until standard output contains `text`, and returns all of it. */
  printed(text: string): Promise<string>;
  /** Sends a signal, and waits until the process ends. */
  stop(signal: NodeJS.Signals): Promise<Result>;
  readonly ended: Promise<Result>;
};

/** A server that runs in a separate process. */
export type RunningServer = Running & { readonly url: string };

export type Settings = Readonly<Record<string, string>>;

/** The file of the program `paw`. */
export const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));

// Compiling the modules takes most of the start time.
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/node-compile', import.meta.url));

const URL_TEXT = /http:\/\/127\.0\.0\.1:\d+/;

let previous: Promise<unknown> = Promise.resolve();

/**
 * Runs a `paw` command in this process. Concurrent calls run one after the other. This is much faster
 * than a separate process. Only `main.js` is left out. Its only environment variables are `settings` and long deadlines.
 *
 * @param input the text on standard input
 */
export function paw(words: readonly string[], settings: Settings, input = ''): Promise<Result> {
  const result = previous.then(() => runInProcess(words, settings, input));
  previous = result.catch(() => {});
  return result;
}

async function runInProcess(words: readonly string[], settings: Settings, input: string): Promise<Result> {
  const environment = process.env;
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const error = vi.spyOn(console, 'error').mockImplementation((line) => void stderr.push(`${line}\n`));
  const stdin = vi
    .spyOn(process, 'stdin', 'get')
    .mockReturnValue(Readable.from([input]) as NodeJS.ReadStream & { fd: 0 });
  process.env = { ...LONG_DEADLINES, ...settings };
  try {
    await runCommandLine(words, {
      isInteractive: () => false,
      isOutputShown: () => false,
      isProgressShown: () => false,
      isDiscarded: () => false,
      write: (text) => void stdout.push(text),
      progress: () => {},
    });
    return { status: Number(process.exitCode ?? 0), stdout: stdout.join(''), stderr: stderr.join('') };
  } finally {
    process.exitCode = undefined;
    process.env = environment;
    error.mockRestore();
    stdin.mockRestore();
  }
}

/** Runs a command with `--json`, and returns the object that it prints, or throws if it failed. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check the values
export async function pawJson(words: readonly string[], settings: Settings, input?: string): Promise<any> {
  const result = await paw([...words, '--json'], settings, input);
  expect(result).toEqual({ status: 0, stdout: expect.stringMatching(/^\{.*\}\n$/), stderr: '' });
  return JSON.parse(result.stdout);
}

/** Returns functions that run commands on a database. */
export function commandsOn(databaseUrl: () => string) {
  const settings = () => ({ DATABASE_URL: databaseUrl() });
  const run = (...words: string[]) => paw(words, settings());
  return {
    run,
    /** Runs a command with `--json`, and returns the object that it prints. */
    runJson: (...words: string[]) => pawJson(words, settings()),
    /** Exports an account, and returns the records. */
    exportOf: async (account: string) => logLines((await run('account', 'export', account)).stdout),
    /** Expects that a command fails with one line that names `field`: with status 2 if its value is malformed, otherwise 1. */
    async expectRefusal(expected: 1 | 2, field: string, ...words: string[]): Promise<void> {
      const { status, stdout, stderr } = await run(...words);
      expect({ status, stdout }).toEqual({ status: expected, stdout: '' });
      expect(stderr).toMatch(new RegExp(`^paw: ${field}: Must be .+\n$`));
    },
  };
}

/** Runs `paw` in a separate process until it ends. */
export function pawProcess(words: readonly string[], settings: Settings): Promise<Result> {
  return startPaw(words, settings).ended;
}

/** Runs `paw` in a separate process, by a shell script in which `"$@"` is the command. */
export function pawInShell(script: string, words: readonly string[], settings: Settings): Promise<Result> {
  const variables = { PATH: String(process.env['PATH']), ...settings };
  return startProgram('/bin/sh', ['-c', script, 'sh', process.execPath, MAIN, ...words], variables).ended;
}

/** Starts `paw` in a separate process, in the folder `cwd`. Its only environment variables are `settings`. */
export function startPaw(words: readonly string[], settings: Settings, cwd?: string): Running {
  return startProgram(process.execPath, [MAIN, ...words], settings, cwd);
}

/**
 * Starts a program in the folder `cwd`. Its only environment variables are `settings`, and those that make it fast,
 * accept any rate of requests, have long deadlines, and leave requests out of its log.
 */
export function startProgram(
  program: string,
  words: readonly string[],
  settings: Settings,
  cwd = process.cwd(),
): Running {
  const child = spawn(program, words, {
    cwd,
    env: {
      NODE_COMPILE_CACHE: COMPILED,
      PAW_STOP_DELAY: '0s',
      PAW_LOG_REQUESTS: 'none',
      ...NO_RATE_LIMITS,
      ...LONG_DEADLINES,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Result>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, stdout, stderr }));
  });
  return {
    // Undefined if the program could not be started. In this case `ended` is rejected.
    pid: child.pid ?? Number.NaN,
    output: () => stdout,
    ended,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (stdout.includes(text)) resolve(stdout);
        };
        child.stdout.on('data', look);
        ended.then(({ status }) => reject(new Error(`It ended first, with ${status}: ${stderr}`)), reject);
        look();
      }),
    stop(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/**
 * Starts a server in a separate process on a free port, and waits until it listens.
 *
 * @param atEnd registers a function that ends the server if it still runs
 */
export async function startServerProcess(
  settings: Settings,
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<RunningServer> {
  return listening(startPaw(['serve'], { PORT: '0', ...settings }), atEnd);
}

/** Waits until a server listens, and returns it with its URL. */
export async function listening(
  running: Running,
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<RunningServer> {
  atEnd(async () => {
    await running.stop('SIGKILL');
  });
  const [url] = URL_TEXT.exec(await running.printed('listening on ')) ?? [];
  if (url === undefined) throw new Error('The server does not log its URL.');
  return { ...running, url };
}

/** Parses the complete lines of a JSON log, or of another output in JSON lines. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check the values
export function logLines(output: string): any[] {
  return output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
