import { accountTokenRequired, resourceNotFound } from '../model/api-error.ts';
import type { App } from '../model/app.ts';
import { parseFields } from '../model/fields.ts';
import { rotateAppKeyFields } from '../model/operation-fields.ts';
import type { Principal } from '../model/principal.ts';
import { idOf } from '../model/resource-name.ts';
import { type Act, recordClientAct } from './audit.ts';
import { changeAppKey } from './change-app.ts';
import type { Client, UntrustedInput } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';

/** See `DataLayer.rotateAppKey`. */
export async function rotateAppKey(
  dependencies: Pick<Dependencies, 'database' | 'clock' | 'newId'>,
  principal: Principal,
  input: UntrustedInput,
  client: Client,
): Promise<App> {
  const { name, gracePeriod = 0 } = parseFields(input, rotateAppKeyFields);
  if (principal.level !== 'account') throw accountTokenRequired();

  const app = await dependencies.database.transaction((transaction) => {
    const record = (act: Act) => recordClientAct(transaction, dependencies, principal, client, act);
    return changeAppKey(transaction, dependencies, principal.accountId, idOf(name), gracePeriod, record);
  });
  if (app === undefined) throw resourceNotFound();
  return app;
}
