import { projectFromRow } from '../data/from-row.ts';
import { description, parseFields, resourceNameValidator, title } from '../model/fields.ts';
import type { Project } from '../model/project.ts';
import { resourceName, type Ulid } from '../model/resource-name.ts';
import { projectView } from '../rest/views.ts';
import type { Queryable } from '../storage/database.ts';
import { insertProject, type ProjectRow } from '../storage/projects.ts';
import type { Command } from './command.ts';
import { requireAccount } from './require-account.ts';
import { type AdminContext, withDatabase } from './with-database.ts';

const VALIDATORS = { account: resourceNameValidator('accounts'), title, description };

export const projectCreate: Command = {
  name: 'project create',
  summary: 'Creates a project in an account.',
  options: {
    account: { value: '<name>', text: 'The account, accounts/<ULID>.', required: true },
    title: { value: '<text>', text: 'The title, 1 to 200 characters.', required: true },
    description: { value: '<text>', text: 'A short description, up to 2,000 characters.' },
  },
  run: (args) =>
    withDatabase(args.environment, async (admin, publicUrl) => {
      const sent = {
        account: args.required('account'),
        title: args.required('title'),
        description: args.optional('description') ?? '',
      };
      const project = projectFromRow(await createProject(admin, sent), publicUrl);
      args.print(projectView(project), `Created ${project.name}.`);
    }),
};

/**
 * Creates a project from `account`, `title` and `description`.
 * @throws INVALID_ARGUMENT that names the field
 */
export function createProject(
  { database, clock, newId }: AdminContext,
  sent: Readonly<Record<string, unknown>>,
): Promise<ProjectRow> {
  const { account, ...texts } = parseFields(sent, VALIDATORS);
  return database.transaction(async (transaction) => {
    const { id: accountId } = await requireAccount(transaction, account);
    return addProject(transaction, clock, accountId, newId(), texts);
  });
}

/** Adds a project with its cover image, within a transaction. */
export async function addProject(
  transaction: Queryable,
  clock: () => number,
  accountId: Ulid,
  id: Ulid,
  texts: Pick<Project, 'title' | 'description'>,
): Promise<ProjectRow> {
  // Loaded here, since no other command needs it.
  const { coverImage, coverImageCid } = await import('../model/cover-image.ts');
  const row = {
    account_id: accountId,
    id,
    title: texts.title,
    description: texts.description,
    image_cover_cid: coverImageCid(coverImage(resourceName('projects', id))),
    create_time_ms: clock(),
  };
  await insertProject(transaction, row);
  return row;
}
