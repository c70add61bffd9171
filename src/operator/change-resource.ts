import { notFound } from '../data/access/visibility.ts';
import { type Act, recordAct } from '../data/audit/audit.ts';
import type { OperatorContext } from '../data/call/call.ts';
import type { Ulid } from '../model/resource-name.ts';
import type { Queryable } from '../storage/interface/database.ts';

/**
 * Changes a resource as the operator, in a transaction, and records the act. Returns the row of the resource.
 *
 * @param change returns the row, or undefined if the resource does not exist
 * @throws INVALID_ARGUMENT for the field `name` if the resource does not exist
 */
export function changeResource<Row extends { readonly id: Ulid; readonly account_id?: Ulid }>(
  operator: OperatorContext,
  act: Pick<Act, 'action' | 'resource'>,
  change: (transaction: Queryable) => Promise<Row | undefined>,
): Promise<Row> {
  return operator.database.transaction(async (transaction) => {
    const row = await change(transaction);
    if (row === undefined) throw notFound('operator', act.resource);
    // The row of an account has no other account.
    const accountId = row.account_id ?? row.id;
    await recordAct(transaction, operator, { ...act, accountId });
    return row;
  });
}
