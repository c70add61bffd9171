import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type Result, type Settings, startProgram } from '../support/run-command.ts';

/** The packages of this folder. */
export const MODULES = fileURLToPath(new URL('node_modules', import.meta.url));

/** Runs a program until it ends, or until the end of the test, which has a timeout. It reports its use to nobody. */
function runProgram(
  program: string,
  words: readonly string[],
  settings: Settings,
  folder?: string,
): Promise<Result> {
  const running = startProgram(program, words, { DO_NOT_TRACK: '1', ...settings }, folder);
  onTestFinished(async () => {
    await running.stop('SIGKILL');
  });
  return running.ended;
}

/** Runs a program of Node in a folder, and returns what it prints. It has to succeed. */
export async function runNode(
  folder: string,
  words: readonly string[],
  settings: Settings = {},
): Promise<string> {
  const path = { PATH: String(process.env['PATH']) };
  const { status, stdout, stderr } = await runProgram(
    process.execPath,
    words,
    { ...path, ...settings },
    folder,
  );
  if (status !== 0) throw new Error(`${words[0]} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}
