import { type Caller, onlyProjectOf, sees } from '../model/caller.ts';
import { ApiError } from '../model/errors.ts';
import { assertPreconditions, ifMatch as etags, ifNoneMatch as otherEtags } from '../model/etag.ts';
import {
  description,
  network,
  newReference,
  optional,
  parseFields,
  password,
  resourceNameValidator,
  title,
} from '../model/fields/fields.ts';
import { idOf, type Ulid } from '../model/resource-name.ts';
import type { Wallet } from '../model/wallet.ts';
import type { Queryable } from '../storage/interface/database.ts';
import { insertEventChange } from '../storage/tables/audit-events.ts';
import {
  findAccountOfWallet,
  findUpdateTargets,
  findWallet,
  findWalletByReference,
  type ScopedWalletId,
  updateWalletChange,
  type WalletRow,
} from '../storage/tables/wallets.ts';
import { isForeignKeyViolation } from '../storage/work/constraint-violations.ts';
import { findAccountId } from './access/account-of.ts';
import {
  assertReferenceIsFree,
  notFound,
  projectNotFound,
  rejectTakenReference,
} from './access/visibility.ts';
import { auditEvent, fieldsIn, rememberEvent } from './audit/audit.ts';
import { begin, type Call, type OperatorContext, type Rules, type UntrustedInput } from './call/call.ts';
import { walletFromRow } from './conversions/wallet.ts';

const INPUT = {
  name: resourceNameValidator('wallets'),
  title: optional(title),
  description: optional(description),
  project: optional(resourceNameValidator('projects')),
  network: optional(network),
  password: optional(password),
  reference: newReference,
  ifMatch: optional(etags),
};

const WITH_HEADERS = { ...INPUT, ifNoneMatch: optional(otherEtags) };

updateWallet.rules = { caller: 'any', changes: true, input: INPUT } as const satisfies Rules;

/**
 * Updates a wallet; for the operator, a wallet of any account. Omitted fields are not changed.
 *
 * @param input also has the conditions of the headers of REST
 * @throws NOT_FOUND if the wallet does not exist or is not visible to the caller; for the operator INVALID_ARGUMENT
 * @throws INVALID_ARGUMENT for the field `project` if it does not exist or is not visible to the caller
 * @throws ALREADY_EXISTS if another wallet of the account has the reference
 * @throws ABORTED if a condition does not hold, or the wallet is archived and the input has a field
 * @throws RESOURCE_EXHAUSTED if too many passwords of the account are being set at the same time
 */
export async function updateWallet(call: Call | OperatorContext, input: UntrustedInput): Promise<Wallet> {
  const dependencies = begin(call, updateWallet.rules);
  const { database, passwords, clock, newId } = dependencies;
  const { caller } = call;
  const { name, ifMatch, ifNoneMatch, ...newValues } = parseFields(input, WITH_HEADERS);
  const conditions = { ifMatch, ifNoneMatch };
  const { project, password, ...changes } = newValues;
  const projectId = project && idOf(project);
  if (projectId !== undefined && !sees(caller, projectId)) throw projectNotFound(caller);

  const accountId = await findAccountId(database, caller, name, findAccountOfWallet);
  const wallet = { accountId, id: idOf(name), withinProjectId: onlyProjectOf(caller) };
  const target = { name, wallet, projectId };
  const current = async () => {
    const row = await findWallet(database, wallet);
    if (row === undefined) throw notFound(caller, name);
    assertPreconditions(row, conditions);
    return row;
  };
  // A hash takes most of the time of an update. A violated constraint would end the transaction of several mutations.
  const { reference } = changes;
  if (password !== undefined || reference) await assertTargets(database, caller, target);
  if (reference) await assertReferenceIsFree(database, wallet, reference, findWalletByReference);
  const fields = fieldsIn(newValues);
  if (fields.length === 0) return walletFromRow(await current());

  const passwordHash = password === undefined ? undefined : await passwords.hash(password, accountId);
  const columns = {
    ...changes,
    project_id: projectId,
    password_hash: passwordHash,
    update_time_ms: clock(),
    revision: newId(),
  };
  const act = { accountId, action: 'wallet.update', resource: name, fields } as const;
  const event = auditEvent({ caller, newId }, act);
  const update = updateWalletChange(wallet, columns, conditions);
  for (;;) {
    const updated = database.writeIfFirst<WalletRow>([update, insertEventChange(event)]);
    const [row] = await updated.catch((error: unknown) => {
      // The project can be deleted after the check, for example while the password is hashed.
      if (isForeignKeyViolation(error)) throw projectNotFound(caller);
      return rejectTakenReference(error);
    });
    if (row !== undefined) {
      rememberEvent(event, dependencies);
      return walletFromRow(row);
    }
    await assertTargets(database, caller, target);
    await current();
    // Another request has changed the wallet between both statements, such as brought it back from the archive.
  }
}

type Target = {
  readonly name: Wallet['name'];
  readonly wallet: ScopedWalletId;
  /** The new project, if there is one. */
  readonly projectId: Ulid | undefined;
};

/** @throws the error for a wallet or a project that does not exist or is not visible to the caller, or for an archived wallet */
async function assertTargets(
  database: Queryable,
  caller: Caller | 'operator',
  { name, wallet, projectId }: Target,
): Promise<void> {
  const found = await findUpdateTargets(database, wallet, projectId);
  if (!found.project) throw projectNotFound(caller);
  if (found.archived === null) throw notFound(caller, name);
  if (found.archived) throw new ApiError('WALLET_ARCHIVED');
}
