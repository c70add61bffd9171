import { parseCredential } from '../../credentials/credential.ts';
import { ApiError } from '../../model/errors.ts';
import type { Ulid } from '../../model/resource-name.ts';
import { findAccount } from '../../storage/accounts.ts';
import type { Queryable } from '../../storage/port/database.ts';
import type { AppCredentials, OauthClient, SignInResult } from '../data-layer.ts';
import type { Dependencies } from '../operation/dependencies.ts';
import { issueToken } from '../sign-in.ts';

/** See `OauthOperations.grantToken`. */
export async function grantToken(
  dependencies: Dependencies,
  credentials: AppCredentials,
  isReadOnly: boolean,
  client: OauthClient,
): Promise<SignInResult> {
  const accountId = await accountOfKey(dependencies.database, credentials);
  const attempt = { ...credentials, accountId, principal: undefined, isReadOnly, client };
  return issueToken(dependencies, attempt);
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
