import { ApiError } from '../../model/errors.ts';
import {
  description,
  nullable,
  parseFields,
  reference,
  resourceNameValidator,
  title,
} from '../../model/fields/fields.ts';
import { MAX_PROJECTS, type Project } from '../../model/project.ts';
import { resourceName, type Ulid } from '../../model/resource-name.ts';
import type { Queryable } from '../../storage/interface/database.ts';
import { findProjectByReference, insertProject, type ProjectRow } from '../../storage/tables/projects.ts';
import { accountOfInput, lockAccount } from '../access/account-of.ts';
import { rejectTakenReference } from '../access/visibility.ts';
import { recordAct } from '../audit/audit.ts';
import { begin, type Call, type OperatorContext, type Rules, type UntrustedInput } from '../call/call.ts';
import { type NewProject, projectFromRow, projectRows } from '../conversions/project.ts';

const ACCOUNT = { account: resourceNameValidator('accounts') };

const INPUT = { title, description: nullable(description), reference: nullable(reference) };

createProject.rules = { caller: 'whole account', changes: true, input: INPUT } as const satisfies Rules;

/** A project, and whether it was created for the request. */
type CreatedProject = { readonly project: Project; readonly isNew: boolean };

/**
 * Creates a project. The operator names the `account`, and can create any number of projects. If a project has its reference,
 * this one is returned, and nothing is changed.
 *
 * @throws FAILED_PRECONDITION if the account has `MAX_PROJECTS` projects
 */
export async function createProject(
  call: Call | OperatorContext,
  input: UntrustedInput,
): Promise<CreatedProject> {
  const { database, clock, newId, publicUrl } = begin(call, createProject.rules);
  const { caller } = call;
  const validators = caller === 'operator' ? { ...ACCOUNT, ...INPUT } : INPUT;
  const fields = parseFields(input, validators);

  const creation = database.transaction(async (transaction) => {
    const accountId = await accountOfInput(transaction, caller, input);
    if (fields.reference !== undefined) {
      // A concurrent creation with the reference waits, and then finds the project.
      await lockAccount(transaction, accountId);
      const row = await findProjectByReference(transaction, accountId, fields.reference);
      if (row !== undefined) return { row, isNew: false };
    }
    const row = await addProject(transaction, { caller, clock, newId }, accountId, fields);
    return { row, isNew: true };
  });
  const { row, isNew } = await creation.catch(rejectTakenReference);
  return { project: projectFromRow(row, publicUrl()), isNew };
}

/** Inserts a project with the CID of its cover image, and records it, in a transaction of the caller. Returns its row. */
export async function addProject(
  transaction: Queryable,
  context: Pick<OperatorContext, 'clock' | 'newId'> & Pick<Call | OperatorContext, 'caller'>,
  accountId: Ulid,
  project: NewProject,
): Promise<ProjectRow> {
  const newRow = await projectRows(context, accountId);
  const row = newRow(project);
  const name = resourceName('projects', row.id);
  const max = context.caller === 'operator' ? undefined : MAX_PROJECTS;
  if (!(await insertProject(transaction, row, max))) throw new ApiError('TOO_MANY_PROJECTS');
  await recordAct(transaction, context, { accountId, action: 'project.create', resource: name });
  return row;
}
