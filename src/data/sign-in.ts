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

// Compared with where there is no app, so that a missing one takes the same work.
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
  const right = equalHashes(row?.private_key_hash ?? NO_HASH, hashCredential(privateKey));
  const within = principal.level === 'account' || principal.projectId === row?.project_id;
  if (row === undefined || !right || !within) throw invalidCredentials();

  const issued = await database.transaction(async (transaction) => {
    // Held until the token is there: whoever makes the app inactive then ends this token, too.
    if (!(await lockActiveApp(transaction, accountId, row.id))) throw appInactive();
    const projectLevel = { level: 'project', accountId, projectId: row.project_id } as const;
    return issueToken(transaction, dependencies, row.id, projectLevel, dependencies.tokenTtlSeconds);
  });
  return { ...issued, app: appFromRow(row) };
}
