import { sees } from '../../model/caller.ts';
import { ApiError, projectNotVisible } from '../../model/errors.ts';
import {
  description,
  network,
  nullable,
  parseFields,
  password,
  resourceNameValidator,
  title,
} from '../../model/fields/fields.ts';
import { resourceName } from '../../model/resource-name.ts';
import type { Wallet } from '../../model/wallet.ts';
import { findWalletTargets, insertWithNextAddress } from '../../storage/tables/addresses.ts';
import { auditEvent } from '../audit/audit.ts';
import { begin, type Call, type Rules, type UntrustedInput } from '../call/call.ts';
import { newWalletRow, walletFromRow } from '../conversions/wallet.ts';

const INPUT = {
  title,
  network,
  description: nullable(description),
  project: nullable(resourceNameValidator('projects')),
  password: nullable(password),
};

createWallet.rules = { caller: 'any', changes: true, input: INPUT } as const satisfies Rules;

/**
 * Creates a wallet. It gets the address that the operator has supplied first for the account and the network.
 *
 * @param input `title`, `network` and, optionally, `description`, `password` and `project`; the default is that of the token
 * @throws INVALID_ARGUMENT for the field `project` if it does not exist or is not visible to the caller
 * @throws FAILED_PRECONDITION if no address is left
 * @throws RESOURCE_EXHAUSTED if too many passwords of the account are being set at the same time
 */
export async function createWallet(call: Call, input: UntrustedInput): Promise<Wallet> {
  const dependencies = begin(call, createWallet.rules);
  const { caller } = call;
  const { accountId, projectId } = caller.principal;
  const { password, project = resourceName('projects', projectId), ...fields } = parseFields(input, INPUT);
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
  // So that no password is hashed in vain: a hash takes most of the time of a creation.
  if (password !== undefined) await assertPossible();
  const password_hash = password === undefined ? undefined : await passwords.hash(password, accountId);
  const row = { ...newRow, ...(password_hash && { password_hash }) };
  const act = { accountId, action: 'wallet.create', resource: resourceName('wallets', row.id) } as const;
  const event = auditEvent({ caller, newId }, act);
  for (;;) {
    const address = await insertWithNextAddress(database, row, event);
    if (address !== undefined) return walletFromRow({ ...row, address });
    // An address can have been supplied while others took the last ones.
    await assertPossible();
  }
}
