import { readDuration } from '../config.ts';
import { type IssuedToken, issueToken } from '../data/issue-token.ts';
import { invalidFields } from '../model/api-error.ts';
import { optional, parseFields, resourceNameValidator } from '../model/fields.ts';
import { idOf } from '../model/resource-name.ts';
import { findProjects } from '../storage/projects.ts';
import type { Command } from './command.ts';
import { requireAccount } from './require-account.ts';
import { type AdminContext, withDatabase } from './with-database.ts';

const VALIDATORS = {
  account: resourceNameValidator('accounts'),
  project: optional(resourceNameValidator('projects')),
};

const DEFAULT_LIFE = '90d';

export const tokenCreate: Command = {
  name: 'token create',
  summary: 'Makes an account-level access token. It is shown once.',
  options: {
    account: { value: '<name>', text: 'The account, accounts/<ULID>.', required: true },
    project: {
      value: '<name>',
      text: 'The project of new apps that name none; else the first of the account.',
    },
    'expires-in': {
      value: '<time>',
      text: `How long it lives, such as ${DEFAULT_LIFE} (the default), 12h or 30m.`,
    },
  },
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      const lifeSeconds = readDuration('--expires-in', args.optional('expires-in') ?? DEFAULT_LIFE);
      const sent = { account: args.required('account'), project: args.optional('project') };
      const { accessToken, expireTimeMs } = await createAccountToken(admin, sent, lifeSeconds);
      const expireTime = new Date(expireTimeMs).toISOString();
      args.print({ accessToken, expireTime }, `${accessToken}\nExpires at ${expireTime}.`);
    }),
};

/**
 * Makes an account token from `account` and, optionally, `project`.
 * @throws INVALID_ARGUMENT that names the field
 */
export async function createAccountToken(
  { database, clock, newId }: AdminContext,
  sent: Readonly<Record<string, unknown>>,
  lifeSeconds: number,
): Promise<IssuedToken> {
  const { account, project } = parseFields(sent, VALIDATORS);
  const row = await requireAccount(database, account);
  if (project && (await findProjects(database, row.id, [idOf(project)])).length === 0) {
    throw invalidFields([{ field: 'project', description: 'Must be a project of the account.' }]);
  }
  const defaultProjectId = project ? idOf(project) : row.default_project_id;
  const principal = { level: 'account', accountId: row.id, defaultProjectId } as const;
  return issueToken(database, { clock, newId }, row.id, principal, lifeSeconds);
}
