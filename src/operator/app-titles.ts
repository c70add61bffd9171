import type { OperatorContext } from '../data/call/call.ts';
import type { ConnectionPage } from '../model/lists/list-page.ts';
import { idOf, type ResourceName, resourceName } from '../model/resource-name.ts';
import { findApps } from '../storage/tables/apps.ts';

type OfApp = {
  readonly account: ResourceName<'accounts'>;
  readonly app: ResourceName<'apps'> | undefined;
};

/**
 * Adds to each item the title that its app has now; undefined if it has no app, or if the app is deleted. Executes one statement
 * for each account of the page.
 */
export async function withAppTitles<T extends OfApp>(
  { database }: OperatorContext,
  page: ConnectionPage<T>,
): Promise<ConnectionPage<T & { readonly appTitle: string | undefined }>> {
  const titles = new Map<string, string>();
  for (const [account, items] of Map.groupBy(page.items, (item) => item.account)) {
    const ids = new Set(items.flatMap(({ app }) => (app === undefined ? [] : idOf(app))));
    for (const { id, title } of await findApps(database, idOf(account), [...ids]))
      titles.set(resourceName('apps', id), title);
  }
  return { ...page, items: page.items.map((item) => ({ ...item, appTitle: titles.get(item.app ?? '') })) };
}
