import type { UntrustedInput } from '../data/data-layer.ts';
import type { AdminContext } from '../data/dependencies.ts';
import type { ListPage } from '../data/read-list-page.ts';
import type { Command, Option } from './command.ts';
import { table } from './table.ts';
import { withDatabase } from './with-database.ts';

/** A list that a command prints. */
export type List<Item> = Pick<Command, 'name' | 'summary'> & {
  /** The name of the list in the JSON object. */
  readonly plural: string;
  /** The options that name the parent of the list, or filter it. */
  readonly filters?: Readonly<Record<string, Option>>;
  readonly read: (admin: AdminContext, input: UntrustedInput) => Promise<ListPage<Item>>;
  /** Returns the JSON object of an item. */
  readonly view: (item: Item) => object;
  /** Returns the columns of an item in the text. */
  readonly columns: (item: Item) => readonly string[];
};

const PAGE_OPTIONS = {
  'page-size': { value: '<number>', description: 'The maximum number of items, 1 to 100; 10 by default.' },
  'page-token': { value: '<token>', description: 'The nextPageToken of the previous page.' },
} as const;

/** Returns the command that prints one page of a list. */
export function listCommand<Item>(list: List<Item>): Command {
  const { name, summary, plural, filters = {}, read, view, columns } = list;
  const options = { ...filters, ...PAGE_OPTIONS };
  return {
    name,
    summary,
    options,
    run: (args) =>
      withDatabase(args.environment, async (admin) => {
        const input = Object.fromEntries(Object.keys(options).map((each) => [each, args.optional(each)]));
        const { items, nextPageToken } = await read(admin, {
          ...input,
          'page-size': toNumber(input['page-size']),
        });
        const text = table(items.map(columns)) || `No ${plural}.`;
        const next = nextPageToken && `\nNext page: --page-token ${nextPageToken}`;
        args.print({ [plural]: items.map(view), nextPageToken }, text + next);
      }),
  };
}

/** Converts digits to a number. The operation rejects every other text. */
function toNumber(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : text;
}
