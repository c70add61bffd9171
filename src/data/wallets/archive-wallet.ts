import { onlyProjectOf } from '../../model/caller.ts';
import { assertPreconditions, ifMatch as etags } from '../../model/etag.ts';
import { optional, parseFields, resourceNameValidator } from '../../model/fields/fields.ts';
import { idOf } from '../../model/resource-name.ts';
import type { Wallet } from '../../model/wallet.ts';
import { insertEventChange } from '../../storage/tables/audit-events.ts';
import {
  findAccountOfWallet,
  findWallet,
  setArchivedChange,
  type WalletRow,
} from '../../storage/tables/wallets.ts';
import { findAccountId } from '../access/account-of.ts';
import { notFound } from '../access/visibility.ts';
import { auditEvent, rememberEvent } from '../audit/audit.ts';
import { begin, type Call, type OperatorContext, type Rules, type UntrustedInput } from '../call/call.ts';
import { walletFromRow } from '../conversions/wallet.ts';

const INPUT = { name: resourceNameValidator('wallets'), ifMatch: optional(etags) };

archiveWallet.rules = { caller: 'any', changes: true, input: INPUT } as const satisfies Rules;

unarchiveWallet.rules = archiveWallet.rules;

/**
 * Archives a wallet; for the operator, a wallet of any account. It leaves the lists, can't be updated, and keeps its
 * address. An archived wallet is returned unchanged.
 *
 * @throws NOT_FOUND if the wallet does not exist or is not visible to the caller; for the operator INVALID_ARGUMENT
 * @throws ABORTED if the wallet has none of the etags
 */
export async function archiveWallet(call: Call | OperatorContext, input: UntrustedInput): Promise<Wallet> {
  return setArchived(call, begin(call, archiveWallet.rules), input, 1);
}

/** Brings an archived wallet back. See `archiveWallet`. */
export async function unarchiveWallet(call: Call | OperatorContext, input: UntrustedInput): Promise<Wallet> {
  return setArchived(call, begin(call, unarchiveWallet.rules), input, 0);
}

async function setArchived(
  { caller }: Pick<Call | OperatorContext, 'caller'>,
  dependencies: Omit<OperatorContext, 'caller'>,
  input: UntrustedInput,
  archived: 0 | 1,
): Promise<Wallet> {
  const { database, clock, newId, synced } = dependencies;
  const { name, ifMatch } = parseFields(input, INPUT);
  const accountId = await findAccountId(database, caller, name, findAccountOfWallet);
  const wallet = { accountId, id: idOf(name), withinProjectId: onlyProjectOf(caller) };
  const columns = { archived, update_time_ms: clock(), revision: newId() };
  const change = setArchivedChange(wallet, columns, ifMatch);
  const action = archived ? 'wallet.archive' : 'wallet.unarchive';
  const event = auditEvent({ caller, newId }, { accountId, action, resource: name });
  for (;;) {
    const [changed] = await database.writeIfFirst<WalletRow>([change, insertEventChange(event)]);
    if (changed !== undefined) {
      rememberEvent(event, dependencies);
      return walletFromRow(changed);
    }
    const current = await findWallet(database, wallet);
    if (current === undefined) throw notFound(caller, name);
    assertPreconditions(current, { ifMatch });
    // Otherwise, another request has changed the wallet between both statements.
    if ((current.archive_time_ms === null ? 0 : 1) !== archived) continue;
    await synced?.();
    return walletFromRow(current);
  }
}
