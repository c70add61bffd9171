import { equalHashes, hashCredential } from '../credentials/credential.ts';
import { appInactive, invalidCredentials } from '../model/api-error.ts';
import { parseFields } from '../model/fields.ts';
import { signInFields } from '../model/operation-fields.ts';
import type { Principal } from '../model/principal.ts';
import { idOf } from '../model/resource-name.ts';
import { findAppSecret, lockActiveApp } from '../storage/apps.ts';
import type { SignInResult, UntrustedInput } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import { appFromRow } from './from-row.ts';
import { issueToken } from './issue-token.ts';

// A placeholder for the hash of a missing app: the response time must not show whether an app exists.
const NO_HASH = hashCredential('');

/** See `DataLayer.signIn`. */
export async function signIn(
  dependencies: Dependencies,
  principal: Principal,
  input: UntrustedInput,
): Promise<SignInResult> {
  const { name, privateKey } = parseFields(input, signInFields);
  const { database } = dependencies;
  const { accountId } = principal;

  const row = await findAppSecret(database, accountId, idOf(name));
  const isKeyCorrect = equalHashes(row?.private_key_hash ?? NO_HASH, hashCredential(privateKey));
  const isVisible = principal.level === 'account' || principal.projectId === row?.project_id;
  if (row === undefined || !isKeyCorrect || !isVisible) throw invalidCredentials();

  const issued = await database.transaction(async (transaction) => {
    // The lock is held until the token is stored, so that a concurrent deactivation revokes this token, too.
    if (!(await lockActiveApp(transaction, accountId, row.id))) throw appInactive();
    const appPrincipal = { level: 'project', accountId, projectId: row.project_id } as const;
    return issueToken(transaction, dependencies, row.id, appPrincipal, dependencies.tokenTtlSeconds);
  });
  return { ...issued, app: appFromRow(row) };
}
