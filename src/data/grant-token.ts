import { parseCredential } from '../credentials/credential.ts';
import { ApiError } from '../model/api-error.ts';
import type { Ulid } from '../model/resource-name.ts';
import { findAccount } from '../storage/accounts.ts';
import type { AppCredentials, OauthClient, SignInResult } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import { issueToken } from './sign-in.ts';

/** See `OauthOperations.grantToken`. */
export async function grantToken(
  dependencies: Dependencies,
  credentials: AppCredentials,
  isReadOnly: boolean,
  client: OauthClient,
): Promise<SignInResult> {
  const accountId = accountOfKey(credentials);
  const account = await findAccount(dependencies.database, accountId);
  // Without an account, there is no audit to write to. This response is faster, which reveals whether the account exists;
  // an account id has 80 random bits, so it cannot be guessed.
  if (account?.state !== 'ACTIVE') throw new ApiError('INVALID_CREDENTIALS', { app: credentials.name });
  const attempt = { ...credentials, accountId, principal: undefined, isReadOnly, client };
  return issueToken(dependencies, attempt);
}

/** Returns the account in the text of a private key. @throws UNAUTHENTICATED if the text is not a private key */
function accountOfKey({ name, privateKey }: AppCredentials): Ulid {
  const key = parseCredential(privateKey);
  if (key?.kind !== 'key') throw new ApiError('INVALID_CREDENTIALS', { app: name });
  return key.accountId;
}
