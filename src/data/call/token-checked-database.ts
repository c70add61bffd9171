import type { Principal } from '../../model/caller.ts';
import { ApiError } from '../../model/errors.ts';
import type { Change, Database, Queryable, Row } from '../../storage/interface/database.ts';
import { validTokenCondition } from '../../storage/tables/tokens.ts';
import { renderStatement, withCondition } from '../../storage/work/change.ts';

/**
 * Returns a database for the changes of a client: they are made only if its token is still valid when they begin. The body
 * of a request can arrive long after its token was authenticated.
 *
 * Changes contain the check as a condition, so it needs no separate round trip. A transaction begins with it.
 * Both throw UNAUTHENTICATED if the token is no longer valid.
 *
 * @param clock returns the current time, in Unix milliseconds
 */
export function databaseOfValidToken(
  database: Database,
  principal: Principal,
  clock: () => number,
): Database {
  const { accountId, tokenId } = principal;
  const check = () => validTokenCondition(accountId, tokenId, clock());
  const assertValid = async (target: Queryable) => {
    const { sql, params } = renderStatement(check());
    if ((await target.read(sql, params)).length === 0) throw new ApiError('TOKEN_INVALID');
  };
  const writeIfFirst = async <R extends Row>([first, ...others]: readonly [Change, ...Change[]]) => {
    const rows = await database.writeIfFirst<R>([withCondition(first, check()), ...others]);
    // The change can have other conditions as well.
    if (rows.length === 0) await assertValid(database);
    return rows;
  };
  const transaction = <T>(work: (transaction: Queryable) => Promise<T>) =>
    database.transaction(async (opened) => {
      await assertValid(opened);
      return work(opened);
    }, accountId);
  return {
    read: database.read,
    write: (sql, params) => transaction(({ write }) => write(sql, params)),
    writeIfFirst,
    transaction,
    forRequest: (request) => databaseOfValidToken(database.forRequest(request), principal, clock),
  };
}
