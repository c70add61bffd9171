import { parseFields, title } from '../model/fields.ts';
import { type ResourceName, resourceName } from '../model/resource-name.ts';
import { insertAccount } from '../storage/accounts.ts';
import type { Command } from './command.ts';
import { addProject } from './project-create.ts';
import { type AdminContext, withDatabase } from './with-database.ts';

type Account = {
  readonly name: ResourceName<'accounts'>;
  readonly title: string;
  readonly defaultProject: ResourceName<'projects'>;
};

export const accountCreate: Command = {
  name: 'account create',
  summary: 'Creates an account with a first project.',
  options: { title: { value: '<text>', text: 'The title, 1 to 200 characters.', required: true } },
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      const account = await createAccount(admin, args.required('title'));
      args.print(account, `Created ${account.name} with ${account.defaultProject}.`);
    }),
};

/**
 * Creates an account, and a first project of the same title in it.
 * @throws INVALID_ARGUMENT that names the field
 */
export async function createAccount(
  { database, clock, newId }: AdminContext,
  text: string,
): Promise<Account> {
  const account = parseFields({ title: text }, { title });
  const [id, projectId] = [newId(), newId()];
  await database.transaction(async (transaction) => {
    await insertAccount(transaction, {
      id,
      title: account.title,
      default_project_id: projectId,
      create_time_ms: clock(),
    });
    await addProject(transaction, clock, id, projectId, { title: account.title, description: '' });
  });
  return {
    name: resourceName('accounts', id),
    title: account.title,
    defaultProject: resourceName('projects', projectId),
  };
}
