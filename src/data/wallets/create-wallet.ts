import { type Caller, sees } from '../../model/caller.ts';
import { ApiError, alreadyExists, projectNotVisible } from '../../model/errors.ts';
import {
  description,
  network,
  nullable,
  parseFields,
  password,
  reference,
  resourceNameValidator,
  title,
} from '../../model/fields/fields.ts';
import { resourceName } from '../../model/resource-name.ts';
import type { Wallet } from '../../model/wallet.ts';
import { findWalletTargets, insertWithNextAddress } from '../../storage/tables/addresses.ts';
import { findWalletByReference, type NewWalletRow } from '../../storage/tables/wallets.ts';
import { auditEvent } from '../audit/audit.ts';
import {
  begin,
  type Call,
  type OperationDependencies,
  type Rules,
  type UntrustedInput,
} from '../call/call.ts';
import { newWalletRow, walletFromRow } from '../conversions/wallet.ts';

const INPUT = {
  title,
  network,
  description: nullable(description),
  project: nullable(resourceNameValidator('projects')),
  password: nullable(password),
  reference: nullable(reference),
};

createWallet.rules = { caller: 'any', changes: true, input: INPUT } as const satisfies Rules;

/** A wallet, and whether it was created for the request. */
type CreatedWallet = { readonly wallet: Wallet; readonly isNew: boolean };

/**
 * Creates a wallet. It gets the address that the operator has supplied first for the account and the network. If a wallet has
 * its reference, this one is returned, and nothing is changed.
 *
 * @param input `title`, `network` and, optionally, `description`, `password`, `reference` and `project`; the default is that of
 *   the token
 * @throws ALREADY_EXISTS if the wallet with the reference is not visible to the caller, or is in another project than the
 *   input names, or has another network
 * @throws INVALID_ARGUMENT for the field `project` if it does not exist or is not visible to the caller
 * @throws FAILED_PRECONDITION if no address is left
 * @throws RESOURCE_EXHAUSTED if too many passwords of the account are being set at the same time
 */
export async function createWallet(call: Call, input: UntrustedInput): Promise<CreatedWallet> {
  const dependencies = begin(call, createWallet.rules);
  const { caller } = call;
  const { accountId, projectId } = caller.principal;
  const { password, project: named, ...fields } = parseFields(input, INPUT);
  const project = named ?? resourceName('projects', projectId);
  const { database, passwords, newId, recordFailure } = dependencies;
  const newRow = newWalletRow(dependencies, accountId, { ...fields, project });
  if (!sees(caller, newRow.project_id)) throw projectNotVisible();

  const assertPossible = async () => {
    const targets = await findWalletTargets(database, newRow);
    if (!targets.project) throw projectNotVisible();
    if (targets.address) return;
    await recordFailure({ action: 'wallet.refuse', accountId, ...caller, resource: project });
    throw new ApiError('NO_ADDRESS_LEFT');
  };
  const findExisting = () => findWithReference(dependencies, caller, newRow, named !== undefined);
  // So that no password is hashed in vain: a hash takes most of the time of a creation.
  if (password !== undefined) {
    const existing = await findExisting();
    if (existing) return existing;
    await assertPossible();
  }
  const password_hash = password === undefined ? undefined : await passwords.hash(password, accountId);
  const row = { ...newRow, ...(password_hash && { password_hash }) };
  const act = { accountId, action: 'wallet.create', resource: resourceName('wallets', row.id) } as const;
  const event = auditEvent({ caller, newId }, act);
  for (;;) {
    const address = await insertWithNextAddress(database, row, event);
    if (address !== undefined) return { wallet: walletFromRow({ ...row, address }), isNew: true };
    const existing = await findExisting();
    if (existing) return existing;
    // An address can have been supplied while others took the last ones.
    await assertPossible();
  }
}

/**
 * Returns the wallet that has the reference of a new one; undefined if there is none.
 *
 * @param isProjectNamed whether it has to be in the project of the new one
 */
async function findWithReference(
  { database, synced }: Pick<OperationDependencies, 'database' | 'synced'>,
  caller: Caller,
  { account_id, reference, project_id, network }: NewWalletRow,
  isProjectNamed: boolean,
): Promise<CreatedWallet | undefined> {
  if (reference === null) return undefined;
  const row = await findWalletByReference(database, account_id, reference);
  if (row === undefined) return undefined;
  if (!sees(caller, row.project_id)) throw alreadyExists('reference');
  if (isProjectNamed && row.project_id !== project_id) throw alreadyExists('project');
  if (row.network !== network) throw alreadyExists('network');
  await synced();
  return { wallet: walletFromRow(row), isNew: false };
}
