import { equalHashes, hashCredential, parseCredential } from '../../credentials/credential.ts';
import type { Client } from '../../model/caller.ts';
import type { Token } from '../../model/token.ts';
import { findValidToken } from '../../storage/tables/tokens.ts';
import { Call } from '../call/call.ts';
import { tokenFromRow } from '../conversions/token.ts';
import { type AppCredentials, authenticateApp } from '../sign-in.ts';
import { accountOfKey } from './grant-token.ts';

/**
 * Returns the public data of a project token, for the services of an app. Source: RFC 7662.
 *
 * @returns undefined if the token is not a valid token of the project of the app
 * @throws UNAUTHENTICATED if the app does not exist or the key is wrong
 * @throws PERMISSION_DENIED if the app is inactive
 */
export async function introspectToken(
  call: Call<Client>,
  text: string,
  credentials: AppCredentials,
): Promise<Token | undefined> {
  const dependencies = Call.open(call);
  const { database, clock } = dependencies;
  const now = clock();
  const accountId = await accountOfKey(database, credentials);
  const attempt = { ...credentials, accountId, principal: undefined, client: call.caller };
  const app = (await authenticateApp(dependencies, attempt, now)).row;
  const token = parseCredential(text);
  if (token?.kind !== 'app' || token.accountId !== accountId) return undefined;
  const row = await findValidToken(database, accountId, token.id, now);
  const isVisible = row?.project_id === app.project_id && equalHashes(row.hash, hashCredential(text));
  return isVisible ? tokenFromRow(row) : undefined;
}
