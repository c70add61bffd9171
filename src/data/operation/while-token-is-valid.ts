import type { Principal } from '../../model/caller.ts';
import { ApiError } from '../../model/errors.ts';
import {
  type Database,
  onlyIf,
  type Queryable,
  type Row,
  type Statement,
} from '../../storage/port/database.ts';
import { validTokenStatement } from '../../storage/tokens.ts';

/**
 * Returns a database for the changes of a client: they are made only if its token is still valid when they begin. The body
 * of a request can arrive long after its token was authenticated.
 *
 * A statement contains the check as a condition, so that it needs no round trip of its own. A transaction begins with it.
 * Both throw UNAUTHENTICATED if the token has ended.
 *
 * @param clock returns the current time, in Unix milliseconds
 */
export function whileTokenIsValid(database: Database, principal: Principal, clock: () => number): Database {
  const { accountId, tokenId } = principal;
  const check = () => validTokenStatement(accountId, tokenId, clock());
  const assertValid = async (target: Queryable) => {
    const { sql, params } = check();
    if ((await target.read(sql, params)).length === 0) throw new ApiError('TOKEN_INVALID');
  };
  const writeIfFirst = async <R extends Row>([first, ...others]: readonly [Statement, ...Statement[]]) => {
    const rows = await database.writeIfFirst<R>([onlyIf(first, check()), ...others]);
    // The statement can have other conditions as well.
    if (rows.length === 0) await assertValid(database);
    return rows;
  };
  return {
    read: database.read,
    write: (sql, params = []) => writeIfFirst([{ sql, params }]),
    writeIfFirst,
    transaction: (work) =>
      database.transaction(async (transaction) => {
        await assertValid(transaction);
        return work(transaction);
      }),
    forRequest: (request) => whileTokenIsValid(database.forRequest(request), principal, clock),
  };
}
