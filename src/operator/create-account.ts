import { recordAct } from '../data/audit/audit.ts';
import type { OperatorContext, UntrustedInput } from '../data/call/call.ts';
import { accountFromRow } from '../data/conversions/account.ts';
import { addProject } from '../data/projects/create-project.ts';
import type { Account } from '../model/account.ts';
import { optional, parseFields, resourceNameValidator, title } from '../model/fields/fields.ts';
import { idOf, resourceName } from '../model/resource-name.ts';
import { insertAccount } from '../storage/tables/accounts.ts';

const INPUT = { title, name: optional(resourceNameValidator('accounts')) };

/** Creates an account, and its first project with the same title. Without a `name`, it gets a new one. */
export async function createAccount(operator: OperatorContext, input: UntrustedInput): Promise<Account> {
  const { database, clock, newId } = operator;
  const { title, name = resourceName('accounts', newId()) } = parseFields(input, INPUT);
  const project = { name: resourceName('projects', newId()), title };
  const id = idOf(name);
  const row = {
    id,
    title,
    default_project_id: idOf(project.name),
    project_count: 0,
    app_count: 0,
    state: 'ACTIVE',
    create_time_ms: clock(),
  } as const;

  await database.transaction(async (transaction) => {
    await insertAccount(transaction, row);
    await recordAct(transaction, operator, { accountId: id, action: 'account.create', resource: name });
    await addProject(transaction, operator, id, project);
  });
  return accountFromRow(row);
}
