import type { OperatorContext, UntrustedInput } from '../../data/call/call.ts';
import { integerIn, parseFields, renameFields } from '../../model/fields/fields.ts';
import { type ConnectionPage, MAX_PAGE_SIZE, nextPageToken, pageSize } from '../../model/lists/list-page.ts';
import { pageTokenForm } from '../../model/lists/page-token.ts';
import { type Arguments, type Command, flag, type Option, optionalOption } from './command.ts';
import { narrowTable, table, toJson } from './safe-output.ts';
import { withDatabase } from './with-database.ts';

type List<Item, View> = Pick<Command, 'synopsis' | 'summary'> & {
  /** The name of the list in the JSON object. */
  readonly plural: string;
  /** The text of an empty list, unless it is `No <plural>.`. */
  readonly empty?: string;
  readonly filters?: Readonly<Record<string, Option>>;
  readonly read: (
    operator: OperatorContext,
    input: UntrustedInput,
    args: Arguments,
  ) => Promise<ConnectionPage<Item>>;
  readonly view: (item: Item) => View;
  /** Returns the cells by the titles of their columns. @param isWide whether they may take more than a terminal */
  readonly columns: (item: View, isWide: boolean) => Readonly<Record<string, string>>;
};

const PAGE_OPTIONS = {
  'page-size': optionalOption('<number>', 'The maximum number of items, 1 to 100; 10 by default.'),
  'page-token': optionalOption('<token>', 'The nextPageToken of the previous page.'),
  all: flag('Prints all pages.'),
  wide: flag('Prints all columns and whole texts.'),
};

/** The names of the options, by the names of the arguments of a connection. */
const PAGE_NAMES = { first: 'page-size', after: 'page-token' };

/** Returns the command that prints one page of a list, or all. */
export function listCommand<Item, View extends object>(list: List<Item, View>): Command {
  const { synopsis, summary, filters = {}, read } = list;
  return {
    synopsis,
    summary,
    options: { ...filters, ...PAGE_OPTIONS },
    run: (args) =>
      withDatabase(
        args,
        async (operator) => {
          const { 'page-size': size, 'page-token': token, ...input } = args.values;
          const first = integerIn(size) ?? (args.isSet('all') ? MAX_PAGE_SIZE : undefined);
          await renameFields(PAGE_NAMES, async () => {
            parseFields({ first, after: token }, { first: pageSize, after: pageTokenForm });
            await printPages(args, list, (after) => read(operator, { ...input, first, after }, args));
          });
        },
        { isReadOnly: true },
      ),
  };
}

/** Prints each page before the next one is read. With `--json`, all of them are one object, made in memory. */
async function printPages<Item, View extends object>(
  { values, isSet, isJson, terminal, note }: Arguments,
  { plural, empty = `No ${plural}.`, view, columns }: List<Item, View>,
  readPage: (after: string | undefined) => Promise<ConnectionPage<Item>>,
): Promise<void> {
  let after = values['page-token'];
  let count = 0;
  const json: string[] = [];
  do {
    const page = await readPage(after);
    const items = page.items.map(view);
    if (isJson) json.push(...items.map(toJson));
    else if (items.length > 0) {
      const cells = items.map((item) => columns(item, isSet('wide')));
      const header = Object.keys(cells[0] ?? {}).map((title) => (count === 0 ? title.toUpperCase() : ''));
      const rows = [header, ...cells.map(Object.values<string>)];
      terminal.write(`${isSet('wide') ? table(rows) : narrowTable(rows)}\n`);
    }
    count += items.length;
    after = nextPageToken(page);
  } while (isSet('all') && after);
  if (isJson) terminal.write(`{"${plural}":[${json.join()}],"nextPageToken":"${after}"}\n`);
  else if (count === 0) terminal.write(`${empty}\n`);
  if (after) note(`Next page: --page-token ${after}`);
}
