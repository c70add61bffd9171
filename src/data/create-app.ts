import { createCredential, hashCredential } from '../credentials/credential.ts';
import { accountTokenRequired, projectNotVisible } from '../model/api-error.ts';
import type { App } from '../model/app.ts';
import { parseFields } from '../model/fields.ts';
import { createAppFields } from '../model/operation-fields.ts';
import type { Principal } from '../model/principal.ts';
import { idOf } from '../model/resource-name.ts';
import { insertApp } from '../storage/apps.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import { appFromRow } from './from-row.ts';

/** See `DataLayer.createApp`. */
export async function createApp(
  { database, clock, newId }: Dependencies,
  principal: Principal,
  input: UntrustedInput,
): Promise<App> {
  const { title, active, project } = parseFields(input, createAppFields);
  if (principal.level !== 'account') throw accountTokenRequired();

  const id = newId();
  const keyId = newId();
  const privateKey = createCredential('key', id, keyId);
  const row = await insertApp(database, {
    account_id: principal.accountId,
    id,
    project_id: project ? idOf(project) : principal.defaultProjectId,
    title,
    active: active ? 1 : 0,
    create_time_ms: clock(),
    private_key_id: keyId,
    private_key_hash: hashCredential(privateKey),
  });
  if (row === undefined) throw projectNotVisible();
  return appFromRow(row, privateKey);
}
