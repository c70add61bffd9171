import { requireAccount, requireRow } from '../data/access/account-of.ts';
import { recordAct } from '../data/audit/audit.ts';
import type { OperatorContext, UntrustedInput } from '../data/call/call.ts';
import { parseFields, resourceNameValidator } from '../model/fields/fields.ts';
import { idOf } from '../model/resource-name.ts';
import { findAccountOfApp } from '../storage/tables/apps.ts';
import { deleteTokensOfAccount, deleteTokensOfApp, MAX_DELETED } from '../storage/tables/tokens.ts';

/** Revokes all tokens of an app. Returns the number of those that were valid. */
export async function revokeAppTokens(operator: OperatorContext, input: UntrustedInput): Promise<number> {
  const { app } = parseFields(input, { app: resourceNameValidator('apps') });
  return operator.database.transaction(async (transaction) => {
    const accountId = requireRow(await findAccountOfApp(transaction, app), 'app');
    const count = await deleteTokensOfApp(transaction, accountId, idOf(app), operator.clock());
    const act = { action: 'token.revoke', resource: app, count } as const;
    if (count > 0) await recordAct(transaction, operator, { accountId, ...act });
    return count;
  });
}

/** Revokes all tokens of an account and of its apps, in batches. Returns the number of those that were valid. */
export async function revokeAccountTokens(operator: OperatorContext, input: UntrustedInput): Promise<number> {
  const { account } = parseFields(input, { account: resourceNameValidator('accounts') });
  const { id } = await requireAccount(operator.database, account);
  for (let total = 0; ; ) {
    const revoked = await operator.database.transaction(async (transaction) => {
      const count = await deleteTokensOfAccount(transaction, id, operator.clock());
      const act = { action: 'token.revoke', resource: account, count } as const;
      if (count > 0) await recordAct(transaction, operator, { accountId: id, ...act });
      return count;
    });
    total += revoked;
    if (revoked < MAX_DELETED) return total;
  }
}
