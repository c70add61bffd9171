import type { App } from '../model/app.ts';
import type { ConnectionArguments } from '../model/page.ts';
import type { Principal } from '../model/principal.ts';
import type { ResourceName } from '../model/resource-name.ts';
import { APP_LIST, type AppRow } from '../storage/apps.ts';
import type { ConnectionPage } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import { appFromRow } from './from-row.ts';
import { readProjectLists } from './read-project-lists.ts';

/** See `DataLayer.listProjectApps`. */
export function listProjectApps(
  dependencies: Pick<Dependencies, 'database' | 'pageTokens'>,
  principal: Principal,
  projects: readonly ResourceName<'projects'>[],
  input: ConnectionArguments,
): Promise<readonly ConnectionPage<App>[]> {
  return readProjectLists(dependencies, principal, projects, input, APP_LIST, (row: AppRow) =>
    appFromRow(row),
  );
}
