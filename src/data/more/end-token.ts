import { equalHashes, hashCredential, parseCredential } from '../../credentials/credential.ts';
import { ApiError } from '../../model/errors.ts';
import { idOf } from '../../model/resource-name.ts';
import { findToken } from '../../storage/tokens.ts';
import type { AppCredentials, OauthClient } from '../data-layer.ts';
import type { Dependencies } from '../operation/dependencies.ts';
import { principalFromRow } from '../rows/from-row.ts';
import { findApp } from '../sign-in.ts';
import { signOut } from './sign-out.ts';

/**
 * See `OauthOperations.endToken`. A key is compared only with that of the app to which a valid token was issued, so that nobody
 * can test a key without an audit event.
 */
export async function endToken(
  dependencies: Dependencies,
  text: string,
  credentials: AppCredentials | undefined,
  client: OauthClient,
): Promise<void> {
  const { database, clock, newId, recordFailure } = dependencies;
  const timeMs = clock();
  const token = parseCredential(text);
  const row = token && (await findToken(database, token.accountId, token.id));
  if (row === undefined || row.expire_time_ms <= timeMs || !equalHashes(row.hash, hashCredential(text))) {
    return client.count(undefined);
  }
  const principal = principalFromRow(row);
  const { accountId, appId, tokenId } = principal;
  if (credentials !== undefined) {
    const { name } = credentials;
    if (appId !== idOf(name)) throw new ApiError('TOKEN_OF_ANOTHER_APP');
    const { key } = await findApp(database, { ...credentials, accountId }, timeMs);
    if (key === undefined) {
      await client.count(undefined);
      const actor = { principal: undefined, client };
      await recordFailure({ id: newId(), action: 'sign_in.fail', accountId, ...actor, app: name });
      throw new ApiError('INVALID_CREDENTIALS', { app: name });
    }
  }
  await client.count({ accountId, tokenId: appId ?? tokenId });
  await signOut(dependencies, { principal, client });
}
