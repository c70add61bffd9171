import { createCredential, hashCredential } from '../credentials/credential.ts';
import { type App, MAX_APPS } from '../model/app.ts';
import { ApiError, projectNotVisible } from '../model/errors.ts';
import { parseFields } from '../model/fields/fields.ts';
import { createAppFields } from '../model/fields/operation-fields.ts';
import { onlyProjectOf } from '../model/principal.ts';
import { idOf, resourceName } from '../model/resource-name.ts';
import { insertApp } from '../storage/apps.ts';
import { findProjects } from '../storage/projects.ts';
import { type ClientActor, requireAccountToken } from './access/actor.ts';
import { auditEvent } from './audit/audit.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { Dependencies } from './operation/dependencies.ts';
import { appFromRow } from './rows/from-row.ts';

export async function createApp(
  dependencies: Dependencies,
  actor: ClientActor,
  input: UntrustedInput,
): Promise<App> {
  requireAccountToken(actor);
  const { principal } = actor;
  const { title, active, project } = parseFields(input, createAppFields);
  const projectId = project ? idOf(project) : principal.defaultProjectId;
  if (projectId !== (onlyProjectOf(principal) ?? projectId)) throw projectNotVisible();

  const { database, clock, newId } = dependencies;
  const { accountId } = principal;
  const id = newId();
  const keyId = newId();
  const privateKey = createCredential('key', accountId, keyId);
  const act = { accountId, action: 'app.create', resource: resourceName('apps', id) } as const;
  const event = auditEvent(dependencies, actor, act);
  const app = {
    account_id: accountId,
    id,
    project_id: projectId,
    title,
    active: active ? 1 : 0,
    create_time_ms: clock(),
    private_key_id: keyId,
    private_key_hash: hashCredential(privateKey),
    revision: newId(),
  } as const;
  const row = await insertApp(database, app, MAX_APPS, event);
  if (row === undefined) {
    const projects = await findProjects(database, accountId, [projectId]);
    throw projects.length > 0 ? new ApiError('TOO_MANY_APPS') : projectNotVisible();
  }
  return appFromRow(row, row.create_time_ms, privateKey);
}
