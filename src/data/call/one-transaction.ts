import { LazyTransaction } from '../../storage/work/lazy-transaction.ts';
import type { OperatorContext } from './call.ts';

/** Runs operations of the operator as one transaction, which is committed when `work` resolves, and otherwise rolled back. */
export async function inOneTransaction<T>(
  operator: OperatorContext,
  work: (operator: OperatorContext) => Promise<T>,
): Promise<T> {
  const transaction = new LazyTransaction(operator.database);
  try {
    const result = await work({ ...operator, database: transaction.database });
    await transaction.commit();
    return result;
  } catch (error) {
    await transaction.rollBack();
    throw error;
  }
}
