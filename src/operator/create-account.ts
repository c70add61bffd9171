import { recordAct } from '../data/audit/audit.ts';
import type { OperatorContext } from '../data/call/dependencies.ts';
import type { UntrustedInput } from '../data/call/rules.ts';
import { addProject } from '../data/projects/create-project.ts';
import type { Account } from '../model/account.ts';
import { parseFields, title } from '../model/fields/fields.ts';
import { resourceName } from '../model/resource-name.ts';
import { insertAccount } from '../storage/tables/accounts.ts';

/** Creates an account, and its first project with the same title. */
export async function createAccount(operator: OperatorContext, input: UntrustedInput): Promise<Account> {
  const fields = parseFields(input, { title });
  const { database, clock, newId } = operator;
  const [id, projectId] = [newId(), newId()];
  const name = resourceName('accounts', id);
  const now = clock();

  await database.transaction(async (transaction) => {
    await insertAccount(transaction, {
      id,
      title: fields.title,
      default_project_id: projectId,
      project_count: 0,
      app_count: 0,
      state: 'ACTIVE',
      create_time_ms: now,
    });
    await recordAct(transaction, operator, 'operator', {
      accountId: id,
      action: 'account.create',
      resource: name,
    });
    const project = { accountId: id, id: projectId, title: fields.title, description: '' };
    await addProject(transaction, operator, 'operator', project);
  });
  return {
    name,
    title: fields.title,
    defaultProject: resourceName('projects', projectId),
    state: 'ACTIVE',
    createTimeMs: now,
  };
}
