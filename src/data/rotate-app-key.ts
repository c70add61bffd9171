import { accountTokenRequired, resourceNotFound } from '../model/api-error.ts';
import type { App } from '../model/app.ts';
import { parseFields } from '../model/fields.ts';
import { rotateAppKeyFields } from '../model/operation-fields.ts';
import type { Principal } from '../model/principal.ts';
import { idOf } from '../model/resource-name.ts';
import { changeAppKey } from './change-app.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';

/** See `DataLayer.rotateAppKey`. */
export async function rotateAppKey(
  { database, clock, newId }: Pick<Dependencies, 'database' | 'clock' | 'newId'>,
  principal: Principal,
  input: UntrustedInput,
): Promise<App> {
  const { name, gracePeriod = 0 } = parseFields(input, rotateAppKeyFields);
  if (principal.level !== 'account') throw accountTokenRequired();

  const app = await database.transaction((transaction) =>
    changeAppKey(transaction, { clock, newId }, principal.accountId, idOf(name), gracePeriod),
  );
  if (app === undefined) throw resourceNotFound();
  return app;
}
