import { open, stat } from 'node:fs/promises';
import { importAccount } from '../data/operator/import-account.ts';
import { changeCommand } from './line/change-command.ts';
import { ACCOUNT, UsageError } from './line/command.ts';
import { countedRows } from './line/counts.ts';
import { linesOf } from './line/standard-input.ts';

export const importCommand = changeCommand({
  name: 'import',
  summary: 'Creates the projects and wallets in a file of JSON lines, such as an export of an account.',
  operand: 'file',
  options: { account: ACCOUNT },
  async run(admin, input, { values, terminal }) {
    const imported = await importAccount(
      admin,
      input,
      linesOf(await streamOf(values['file'] ?? '')),
      (count) => terminal.progress(`Imported ${count}.`),
    );
    terminal.progress('');
    return imported;
  },
  view: (imported) => imported,
  text: (imported) => `Imported ${countedRows(imported)}.`,
});

/** Opens a file, or standard input if its name is `-`. */
async function streamOf(file: string): Promise<AsyncIterable<Uint8Array | string>> {
  if (file === '-') return process.stdin;
  try {
    // A directory can be opened, and then not be read.
    if ((await stat(file)).isDirectory()) throw new Error('It is a directory');
    return (await open(file)).createReadStream();
  } catch (error) {
    throw new UsageError(`${file} can't be read: ${error instanceof Error ? error.message : error}.`);
  }
}
