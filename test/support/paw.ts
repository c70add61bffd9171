import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** How a command ended. */
export type Result = {
  /** The exit status, or null if a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** A command that runs. */
export type Running = {
  readonly pid: number;
  /** What stands on standard output so far. */
  output(): string;
  /** Waits until `text` stands on standard output, and returns all that stands there. */
  printed(text: string): Promise<string>;
  /** Sends a signal, and returns how the command ended. */
  stop(signal: NodeJS.Signals): Promise<Result>;
  readonly ended: Promise<Result>;
};

type Settings = Readonly<Record<string, string>>;

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));

// Compiling all that the program imports is most of what a start costs; the tests start it often.
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/node-compile', import.meta.url));

/** Runs `paw` to its end. It finds no environment variables but `settings`. */
export function paw(words: readonly string[], settings: Settings): Promise<Result> {
  return startPaw(words, settings).ended;
}

/** Starts `paw`, in the folder `cwd` if one is given. It finds no environment variables but `settings`. */
export function startPaw(words: readonly string[], settings: Settings, cwd = process.cwd()): Running {
  const child = spawn(process.execPath, [MAIN, ...words], {
    cwd,
    env: { NODE_COMPILE_CACHE: COMPILED, ...settings },
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
    // There is none if the command could not be started, and then `ended` says why.
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
