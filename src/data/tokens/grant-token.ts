import { parseCredential } from '../../credentials/credential.ts';
import type { Client } from '../../model/caller.ts';
import { ApiError } from '../../model/errors.ts';
import type { Ulid } from '../../model/resource-name.ts';
import type { Queryable } from '../../storage/interface/database.ts';
import { findAccount } from '../../storage/tables/accounts.ts';
import { Call } from '../call/call.ts';
import { type AppCredentials, issueProjectToken, type SignInResult } from '../sign-in.ts';

/**
 * Issues a project token to an app that has no bearer token. Source: RFC 6749, section 4.4.
 *
 * @param isReadOnly whether the token is read-only
 * @throws UNAUTHENTICATED if the app does not exist or the key is wrong
 * @throws PERMISSION_DENIED if the app is inactive
 */
export async function grantToken(
  call: Call<Client>,
  credentials: AppCredentials,
  isReadOnly: boolean,
): Promise<SignInResult> {
  const dependencies = Call.open(call);
  return issueProjectToken(dependencies, async () => {
    const accountId = await accountOfKey(dependencies.database, credentials);
    return { ...credentials, accountId, principal: undefined, isReadOnly, client: call.caller };
  });
}

/**
 * Returns the account in the text of a private key.
 * @throws UNAUTHENTICATED if the text is not a private key, or the account is not active
 */
export async function accountOfKey(database: Queryable, { name, privateKey }: AppCredentials): Promise<Ulid> {
  const key = parseCredential(privateKey);
  const account = key?.kind === 'key' ? await findAccount(database, key.accountId) : undefined;
  // Without an account, there is no audit to write to. This response is faster, which reveals whether the account exists;
  // an account id has 80 random bits, so it cannot be guessed.
  if (account?.state !== 'ACTIVE') throw new ApiError('INVALID_CREDENTIALS', { app: name });
  return account.id;
}
