import { accountTokenRequired, resourceNotFound } from '../model/api-error.ts';
import type { App } from '../model/app.ts';
import { parseFields } from '../model/fields.ts';
import { updateAppFields } from '../model/operation-fields.ts';
import type { Principal } from '../model/principal.ts';
import { idOf } from '../model/resource-name.ts';
import { type Act, recordClientAct } from './audit.ts';
import { changeApp } from './change-app.ts';
import type { Client, UntrustedInput } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';

/** See `DataLayer.updateApp`. */
export async function updateApp(
  dependencies: Pick<Dependencies, 'database' | 'clock' | 'newId'>,
  principal: Principal,
  input: UntrustedInput,
  client: Client,
): Promise<App> {
  const { name, ...changes } = parseFields(input, updateAppFields);
  if (principal.level !== 'account') throw accountTokenRequired();

  const app = await dependencies.database.transaction((transaction) => {
    const record = (act: Act) => recordClientAct(transaction, dependencies, principal, client, act);
    return changeApp(transaction, dependencies, principal.accountId, idOf(name), changes, record);
  });
  if (app === undefined) throw resourceNotFound();
  return app;
}
