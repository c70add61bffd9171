import type { UntrustedInput } from '../data/data-layer.ts';
import type { ListDependencies } from '../data/read-list.ts';
import { integerIn, renameFields } from '../model/fields.ts';
import { type ConnectionPage, nextPageToken } from '../model/page.ts';
import { pageTokens } from '../model/page-token.ts';
import { loadPageTokenKey } from '../storage/page-token-key.ts';
import type { Command, Option } from './command.ts';
import { table } from './table.ts';
import { withDatabase } from './with-database.ts';

/** A list that a command prints. */
export type List<Item> = Pick<Command, 'name' | 'summary'> & {
  /** The name of the list in the JSON object. */
  readonly plural: string;
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
} as const;

/** The names of the options, by those of the arguments of a connection. */
const PAGE_NAMES = { first: 'page-size', after: 'page-token' };

/** Returns the command that prints one page of a list. */
export function listCommand<Item>(list: List<Item>): Command {
  const { name, summary, plural, filters = {}, read, view, columns } = list;
  const options = { ...filters, ...PAGE_OPTIONS };
  return {
    name,
    summary,
    options,
    run: (args) =>
      withDatabase(args, async (admin) => {
        const dependencies = { ...admin, pageTokens: pageTokens(await loadPageTokenKey(admin.database)) };
        const input = Object.fromEntries(Object.keys(filters).map((each) => [each, args.optional(each)]));
        const first = integerIn(args.optional('page-size'));
        const after = args.optional('page-token');
        const page = await renameFields(PAGE_NAMES, () => read(dependencies, { ...input, first, after }));
        const token = nextPageToken(page);
        const text = table(page.items.map(columns)) || `No ${plural}.`;
        const next = token && `\nNext page: --page-token ${token}`;
        args.print({ [plural]: page.items.map(view), nextPageToken: token }, text + next);
      }),
  };
}
