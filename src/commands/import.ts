import { importAccount } from '../data/operator/import-account.ts';
import { changeCommand } from './line/change-command.ts';
import { ACCOUNT_OPTION } from './line/command.ts';
import { countedRows } from './line/counts.ts';
import { meter } from './line/meter.ts';
import { onLines } from './line/standard-input.ts';

export const importCommand = changeCommand({
  name: 'import',
  summary: 'Creates the projects and wallets in a file of JSON lines, such as an export of an account.',
  operand: 'file',
  options: { account: ACCOUNT_OPTION },
  async run(admin, input, { values, terminal }) {
    const onProgress = meter(terminal, 'Imported');
    return onLines(values['file'], (lines) => importAccount(admin, input, lines, onProgress));
  },
  view: (imported) => imported,
  text: (imported) => `Imported ${countedRows(imported)}.`,
});
