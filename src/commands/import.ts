import { importAccount } from '../operator/import-account.ts';
import { changeCommand } from './cli/change-command.ts';
import { ACCOUNT_OPTION } from './cli/command.ts';
import { countedRows } from './cli/counts.ts';
import { meter } from './cli/meter.ts';
import { onLines } from './cli/standard-input.ts';

export const importCommand = changeCommand({
  synopsis: 'import <file>',
  summary: 'Creates the projects and wallets that a JSON lines file lists, such as an export of an account.',
  options: { account: ACCOUNT_OPTION },
  async run(operator, input, { values, terminal }) {
    const onProgress = meter(terminal, 'Imported');
    return onLines(values['file'], (lines) => importAccount(operator, input, lines, onProgress));
  },
  text: (imported) => `Imported ${countedRows(imported)}.`,
});
