import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LATEST_VERSION } from '../../src/storage/migrations/versions.ts';
import { testFolder } from './gateway.ts';
import {
  listening,
  type Result,
  type Running,
  type RunningServer,
  type Settings,
  startProgram,
} from './run-command.ts';

/** A copy of the program with further migrations: the next version. It has no browser assets. */
export type NewerProgram = {
  /** Starts a command. */
  start(words: readonly string[], settings: Settings): Running;
  /** Runs a command until it ends. */
  run(words: readonly string[], settings: Settings): Promise<Result>;
  /** Starts a server, and waits until it listens. */
  serve(settings: Settings): Promise<RunningServer>;
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The migrations of CONTRIBUTING.md, as printed: one adds a column, one creates an index on it and fills it in batches. */
export const DOCUMENTED_MIGRATIONS = [
  ...readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').matchAll(
    /^```sql\n(-- compatible-from: .*?)^```$/gms,
  ),
].map(([, text = '']) => text);

/** The names under which a newer program has them. */
export const DOCUMENTED_NAMES = DOCUMENTED_MIGRATIONS.map((_, index) => nameOf(index));

/** Count the wallets whose column they have filled, and the others. */
export const COUNT_FILLED = 'SELECT COUNT(*) AS count FROM wallet WHERE example = title';
/** Finds one of the wallets whose column they have filled. */
export const FIND_FILLED = 'SELECT id FROM wallet WHERE example = title LIMIT 1';
export const COUNT_OTHERS = 'SELECT COUNT(*) AS count FROM wallet WHERE example IS NULL OR example <> title';

/** Empties the column. */
export const EMPTY_COLUMN = 'UPDATE wallet SET example = NULL';

/** Makes a program with these further migrations. */
export function newerProgram(...migrations: readonly string[]): NewerProgram {
  const folder = testFolder();
  const isNeeded = (path: string) => path !== join(ROOT, 'src/pages/assets');
  cpSync(join(ROOT, 'src'), join(folder, 'src'), { recursive: true, filter: isNeeded });
  for (const each of ['docs', 'node_modules', 'package.json', 'schema']) {
    symlinkSync(join(ROOT, each), join(folder, each));
  }
  for (const [index, text] of migrations.entries()) {
    writeFileSync(join(folder, `src/storage/migrations/${nameOf(index)}.sql`), text);
  }
  const start = (words: readonly string[], settings: Settings) =>
    startProgram(process.execPath, [join(folder, 'src/main.js'), ...words], settings);
  return {
    start,
    run: (words, settings) => start(words, settings).ended,
    serve: (settings) => listening(start(['serve'], { PORT: '0', ...settings })),
  };
}

function nameOf(index: number): string {
  return `${String(LATEST_VERSION + 1 + index).padStart(4, '0')}-next`;
}
