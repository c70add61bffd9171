import { equalHashes, hashCredential, parseCredential } from '../credentials/credential.ts';
import { invalidCredentials, tokenOfAnotherApp } from '../model/api-error.ts';
import { idOf, type Ulid } from '../model/resource-name.ts';
import { findAccount } from '../storage/accounts.ts';
import { findToken } from '../storage/tokens.ts';
import type { AppCredentials, Client, SignInResult } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import { findApp, issueToken, type RecordFailure } from './sign-in.ts';
import { signOut } from './sign-out.ts';

/** See `DataLayer.grantToken`. */
export async function grantToken(
  dependencies: Dependencies,
  credentials: AppCredentials,
  isReadOnly: boolean,
  client: Client,
  recordFailure: RecordFailure,
): Promise<SignInResult> {
  const accountId = accountOfKey(credentials);
  const account = await findAccount(dependencies.database, accountId);
  // There is no account to record the failure for. The response comes sooner than that for an account, whose id nobody
  // can guess: it has 80 random bits.
  if (account?.state !== 'ACTIVE') throw invalidCredentials(credentials.name);
  const attempt = { ...credentials, accountId, principal: undefined, isReadOnly, client };
  return issueToken(dependencies, attempt, recordFailure);
}

/**
 * See `DataLayer.endToken`. A key is compared only with that of the app to which a valid token was issued, so that nobody
 * can test a key without an audit event.
 */
export async function endToken(
  dependencies: Dependencies,
  text: string,
  credentials: AppCredentials | undefined,
  client: Client,
  recordFailure: RecordFailure,
): Promise<void> {
  const { database, clock } = dependencies;
  const token = parseCredential(text);
  const item = token && (await findToken(database, token.accountId, token.serial));
  if (item === undefined || !equalHashes(item.hash, hashCredential(text))) return;
  if (credentials !== undefined) {
    const { name } = credentials;
    if (item.appId !== idOf(name)) throw tokenOfAnotherApp();
    const { accountId } = item.principal;
    const timeMs = clock();
    const { key } = await findApp(database, { ...credentials, accountId }, timeMs);
    if (key === undefined) {
      const actor = { principal: undefined, client };
      await recordFailure({ action: 'sign_in.fail', accountId, ...actor, app: name, timeMs });
      throw invalidCredentials(name);
    }
  }
  await signOut(dependencies, { ...item.principal, credentialId: item.id }, client);
}

/** Returns the account in the text of a private key. @throws UNAUTHENTICATED if the text is not a private key */
function accountOfKey({ name, privateKey }: AppCredentials): Ulid {
  const key = parseCredential(privateKey);
  if (key?.kind !== 'key') throw invalidCredentials(name);
  return key.accountId;
}
