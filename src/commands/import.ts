import { importAccount } from '../data/operator/import-account.ts';
import { changeCommand } from './line/change-command.ts';
import { ACCOUNT } from './line/command.ts';
import { countedRows } from './line/counts.ts';
import { meter } from './line/meter.ts';
import { linesOf, streamOf } from './line/standard-input.ts';

export const importCommand = changeCommand({
  name: 'import',
  summary: 'Creates the projects and wallets in a file of JSON lines, such as an export of an account.',
  operand: 'file',
  options: { account: ACCOUNT },
  async run(admin, input, { values, terminal }) {
    return importAccount(admin, input, linesOf(await streamOf(values['file'])), meter(terminal, 'Imported'));
  },
  view: (imported) => imported,
  text: (imported) => `Imported ${countedRows(imported)}.`,
});
