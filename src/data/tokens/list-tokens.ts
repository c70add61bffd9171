import { optional, parseFields, time } from '../../model/fields/fields.ts';
import type { ConnectionPage } from '../../model/lists/list-page.ts';
import type { Token } from '../../model/token.ts';
import { TOKEN_LIST, TOKEN_LIST_OF_ALL, type TokenRow } from '../../storage/tables/tokens.ts';
import { accountOfInput } from '../access/account-of.ts';
import { begin, type Call, type OperatorContext, type Rules, type UntrustedInput } from '../call/call.ts';
import { tokenFromRow } from '../conversions/token.ts';
import { readList } from '../lists/read-list.ts';

listTokens.rules = { caller: 'whole account', changes: false } as const satisfies Rules;

/**
 * Returns one page of the valid tokens of an account and of its apps, in the order of their issue. The operator can read
 * the tokens of all accounts.
 *
 * @param input the arguments of a connection, and for the operator `account`, and `until`: only account tokens that
 *   expire no later than that time
 */
export async function listTokens(
  call: Call | OperatorContext,
  input: UntrustedInput,
): Promise<ConnectionPage<Token>> {
  const { database, clock } = begin(call, listTokens.rules);
  const { until } = parseFields(input, { until: optional(time) });
  const isOfAll = call.caller === 'operator' && input['account'] === undefined;
  const source = isOfAll
    ? { list: TOKEN_LIST_OF_ALL, values: [clock()] }
    : { list: TOKEN_LIST, values: [await accountOfInput(database, call.caller, input), clock()] };
  const isWanted = until === undefined ? undefined : endsBy(until);
  return readList(database, { ...source, isWanted, toItem: tokenFromRow }, input);
}

function endsBy(until: number) {
  return ({ app_id, expire_time_ms }: TokenRow) => app_id === null && expire_time_ms <= until;
}
