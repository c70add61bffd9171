import { createCredential, hashCredential } from '../credentials/credential.ts';
import { type App, MAX_APPS } from '../model/app.ts';
import { type Caller, sees } from '../model/caller.ts';
import { ApiError, projectNotVisible } from '../model/errors.ts';
import { boolean, nullable, parseFields, resourceNameValidator, title } from '../model/fields/fields.ts';
import { idOf, type ResourceName, resourceName, type Ulid } from '../model/resource-name.ts';
import { titleKey } from '../model/title-key.ts';
import type { Queryable } from '../storage/interface/database.ts';
import { insertApp } from '../storage/tables/apps.ts';
import { findProjects } from '../storage/tables/projects.ts';
import { requireAccountOfProject } from './access/account-of.ts';
import { auditEvent } from './audit/audit.ts';
import { begin, type Call, type OperatorContext, type Rules, type UntrustedInput } from './call/call.ts';
import { appFromRow } from './conversions/app.ts';

const projectName = resourceNameValidator('projects');

const INPUT = {
  title,
  active: boolean,
  project: nullable(projectName),
};

createApp.rules = { caller: 'account', changes: true, input: INPUT } as const satisfies Rules;

/**
 * Creates an app. The result contains the private key.
 *
 * @param input `title`, `active` and, optionally, `project`; the default is the token's project. The operator names the
 *   `project`
 * @throws INVALID_ARGUMENT for the field `project` if it does not exist or is not visible to the caller
 * @throws FAILED_PRECONDITION if the account has `MAX_APPS` apps
 */
export async function createApp(call: Call | OperatorContext, input: UntrustedInput): Promise<App> {
  const { database, clock, newId } = begin(call, createApp.rules);
  const { caller } = call;
  const { title, active, project } = parseFields(input, INPUT);
  const { accountId, projectId } =
    caller === 'operator' ? await namedProject(database, input) : visibleProject(caller, project);

  const id = newId();
  const keyId = newId();
  const privateKey = createCredential('key', accountId, keyId);
  const act = { accountId, action: 'app.create', resource: resourceName('apps', id) } as const;
  const event = auditEvent({ caller, newId }, act);
  const app = {
    account_id: accountId,
    id,
    project_id: projectId,
    title,
    title_key: titleKey(title),
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

type Place = { readonly accountId: Ulid; readonly projectId: Ulid };

function visibleProject(caller: Caller, project: ResourceName<'projects'> | undefined): Place {
  const { accountId, projectId } = caller.principal;
  const place = { accountId, projectId: project ? idOf(project) : projectId };
  if (!sees(caller, place.projectId)) throw projectNotVisible();
  return place;
}

async function namedProject(database: Queryable, input: UntrustedInput): Promise<Place> {
  const { project } = parseFields(input, { project: projectName });
  return { accountId: await requireAccountOfProject(database, project), projectId: idOf(project) };
}
