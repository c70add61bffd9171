import { accountTokenRequired, resourceNotFound } from '../model/api-error.ts';
import type { App } from '../model/app.ts';
import { parseFields } from '../model/fields.ts';
import { updateAppFields } from '../model/operation-fields.ts';
import type { Principal } from '../model/principal.ts';
import { idOf } from '../model/resource-name.ts';
import { changeApp } from './change-app.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';

/** See `DataLayer.updateApp`. */
export async function updateApp(
  { database, clock }: Pick<Dependencies, 'database' | 'clock'>,
  principal: Principal,
  input: UntrustedInput,
): Promise<App> {
  const { name, ...changes } = parseFields(input, updateAppFields);
  if (principal.level !== 'account') throw accountTokenRequired();

  const app = await database.transaction((transaction) =>
    changeApp(transaction, { clock }, principal.accountId, idOf(name), changes),
  );
  if (app === undefined) throw resourceNotFound();
  return app;
}
