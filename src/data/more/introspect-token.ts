import { equalHashes, hashCredential, parseCredential } from '../../credentials/credential.ts';
import type { Token } from '../../model/token.ts';
import { findValidToken } from '../../storage/tokens.ts';
import type { AppCredentials, OauthClient } from '../data-layer.ts';
import type { Dependencies } from '../operation/dependencies.ts';
import { tokenFromRow } from '../rows/from-row.ts';
import { authenticateApp } from '../sign-in.ts';
import { accountOfKey } from './grant-token.ts';

/** See `OauthOperations.introspectToken`. */
export async function introspectToken(
  dependencies: Dependencies,
  text: string,
  credentials: AppCredentials,
  client: OauthClient,
): Promise<Token | undefined> {
  const { database, clock } = dependencies;
  const now = clock();
  const accountId = await accountOfKey(database, credentials);
  const attempt = { ...credentials, accountId, principal: undefined, client };
  const app = (await authenticateApp(dependencies, attempt, now)).row;
  const token = parseCredential(text);
  if (token?.kind !== 'app' || token.accountId !== accountId) return undefined;
  const row = await findValidToken(database, accountId, token.id, now);
  const isVisible = row?.project_id === app.project_id && equalHashes(row.hash, hashCredential(text));
  return isVisible ? tokenFromRow(row) : undefined;
}
