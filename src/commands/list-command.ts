import type { UntrustedInput } from '../data/data-layer.ts';
import type { ListDependencies } from '../data/read-list.ts';
import { integerIn, renameFields } from '../model/fields.ts';
import { type ConnectionPage, MAX_PAGE_SIZE, nextPageToken } from '../model/page.ts';
import { pageTokens } from '../model/page-token.ts';
import { loadPageTokenKey } from '../storage/page-token-key.ts';
import type { Arguments, Command, Option } from './command.ts';
import { table } from './table.ts';
import { type Admin, withDatabase } from './with-database.ts';

/** A list that a command prints. */
export type List<Item> = Pick<Command, 'name' | 'summary'> & {
  /** The name of the list in the JSON object. */
  readonly plural: string;
  /** The text of an empty list, unless it is `No <plural>.`. */
  readonly empty?: string;
  /** The options that name the parent of the list, or filter it. */
  readonly filters?: Readonly<Record<string, Option>>;
  readonly read: (dependencies: ListDependencies, input: UntrustedInput) => Promise<ConnectionPage<Item>>;
  /** Returns the JSON object of an item. */
  readonly view: (item: Item) => object;
  /** Returns the columns of an item in the text. */
  readonly columns: (item: Item) => readonly string[];
};

const PAGE_OPTIONS = {
  'page-size': { value: '<number>', description: 'The maximum number of items, 1 to 100; 10 by default.' },
  'page-token': { value: '<token>', description: 'The nextPageToken of the previous page.' },
  all: { description: 'Prints all pages.' },
} as const;

/** The names of the options, by those of the arguments of a connection. */
const PAGE_NAMES = { first: 'page-size', after: 'page-token' };

/** Returns the command that prints one page of a list, or all. */
export function listCommand<Item>(list: List<Item>): Command {
  const { name, summary, filters = {} } = list;
  return {
    name,
    summary,
    options: { ...filters, ...PAGE_OPTIONS },
    run: (args) => withDatabase(args, (admin) => printPages(args, list, readPages(admin, args, list))),
  };
}

async function* readPages<Item>(
  admin: Admin,
  args: Arguments,
  { filters = {}, read }: List<Item>,
): AsyncGenerator<ConnectionPage<Item>> {
  const dependencies = { ...admin, pageTokens: pageTokens(await loadPageTokenKey(admin.database)) };
  const input = Object.fromEntries(Object.keys(filters).map((each) => [each, args.optional(each)]));
  const isAll = args.isSet('all');
  const first = integerIn(args.optional('page-size')) ?? (isAll ? MAX_PAGE_SIZE : undefined);
  for (let after = args.optional('page-token'); ; ) {
    const page = await renameFields(PAGE_NAMES, () => read(dependencies, { ...input, first, after }));
    yield page;
    after = nextPageToken(page);
    if (!isAll || after === '') return;
  }
}

/** Prints each page before the next one is read. With `--json`, all of them are one object. */
async function printPages<Item>(
  { isJson, terminal, note }: Arguments,
  { plural, empty = `No ${plural}.`, view, columns }: List<Item>,
  pages: AsyncIterable<ConnectionPage<Item>>,
): Promise<void> {
  const start = `{"${plural}":[`;
  let count = 0;
  let token = '';
  for await (const page of pages) {
    const { items } = page;
    const json = () => (count === 0 ? start : ',') + items.map((item) => JSON.stringify(view(item))).join();
    if (items.length > 0) terminal.write(isJson ? json() : `${table(items.map(columns))}\n`);
    count += items.length;
    token = nextPageToken(page);
  }
  if (isJson) terminal.write(`${count === 0 ? start : ''}],"nextPageToken":"${token}"}\n`);
  else if (count === 0) terminal.write(`${empty}\n`);
  if (token) note(`Next page: --page-token ${token}`);
}
