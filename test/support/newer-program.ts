import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LATEST_VERSION } from '../../src/storage/migrations/migrations.ts';
import { testFolder } from './gateway.ts';
import { listening, type Result, type RunningServer, type Settings, startProgram } from './paw.ts';

/** A copy of the program with further migrations: the next version. */
export type NewerProgram = {
  /** Runs a command until it ends. */
  run(words: readonly string[], settings: Settings): Promise<Result>;
  /** Starts a server, and waits until it listens. */
  serve(settings: Settings): Promise<RunningServer>;
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Makes a program with these further migrations. */
export function newerProgram(...migrations: readonly string[]): NewerProgram {
  const folder = testFolder();
  const isNeeded = (path: string) => path !== join(ROOT, 'src/pages/assets');
  cpSync(join(ROOT, 'src'), join(folder, 'src'), { recursive: true, filter: isNeeded });
  for (const each of ['docs', 'node_modules', 'package.json', 'schema']) {
    symlinkSync(join(ROOT, each), join(folder, each));
  }
  for (const [index, text] of migrations.entries()) {
    const version = String(LATEST_VERSION + 1 + index).padStart(4, '0');
    writeFileSync(join(folder, `src/storage/migrations/${version}-next.sql`), text);
  }
  const start = (words: readonly string[], settings: Settings) =>
    startProgram(process.execPath, [join(folder, 'src/main.js'), ...words], settings);
  return {
    run: (words, settings) => start(words, settings).ended,
    serve: (settings) => listening(start(['serve'], { PORT: '0', ...settings })),
  };
}
