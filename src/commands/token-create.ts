import { readDuration } from '../config.ts';
import { createCredential, hashCredential } from '../credentials/credential.ts';
import { invalidFields } from '../model/api-error.ts';
import { nameIn, optional, parseFields } from '../model/fields.ts';
import { idOf } from '../model/resource-name.ts';
import { findAccount } from '../storage/accounts.ts';
import { findProjects } from '../storage/projects.ts';
import { openTokens } from '../storage/tokens.ts';
import type { Command } from './command.ts';
import { type Workplace, withDatabase } from './with-database.ts';

const RULES = { account: nameIn('accounts'), project: optional(nameIn('projects')) };

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
    withDatabase(args.environment, async (workplace) => {
      const lifeSeconds = readDuration('--expires-in', args.optional('expires-in') ?? DEFAULT_LIFE);
      const sent = { account: args.required('account'), project: args.optional('project') };
      const { accessToken, expireTimeMs } = await createAccountToken(workplace, sent, lifeSeconds);
      const expireTime = new Date(expireTimeMs).toISOString();
      args.print({ accessToken, expireTime }, `${accessToken}\nExpires at ${expireTime}.`);
    }),
};

/**
 * Makes an account token from `account` and, optionally, `project`.
 * @throws INVALID_ARGUMENT that names the field
 */
export async function createAccountToken(
  { database, clock, newId }: Workplace,
  sent: Readonly<Record<string, unknown>>,
  lifeSeconds: number,
): Promise<{ accessToken: string; expireTimeMs: number }> {
  const { account, project } = parseFields(sent, RULES);
  const row = await findAccount(database, idOf(account));
  if (row === undefined) {
    throw invalidFields([{ field: 'account', description: 'Must be an account that exists.' }]);
  }
  if (project && (await findProjects(database, row.id, [idOf(project)])).length === 0) {
    throw invalidFields([{ field: 'project', description: 'Must be a project of the account.' }]);
  }
  const serial = newId();
  const accessToken = createCredential('acct', row.id, serial);
  const defaultProjectId = project ? idOf(project) : row.default_project_id;
  const principal = { level: 'account', accountId: row.id, defaultProjectId } as const;
  const lifeMs = lifeSeconds * 1000;
  // Taken first, so that the token lives at least until then.
  const expireTimeMs = clock() + lifeMs;
  await openTokens(database, clock).add(
    row.id,
    serial,
    { hash: hashCredential(accessToken), principal },
    lifeMs,
  );
  return { accessToken, expireTimeMs };
}
