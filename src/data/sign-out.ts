import type { Principal } from '../model/principal.ts';
import { revokeTokenOfAccount } from '../storage/tokens.ts';
import type { Dependencies } from './dependencies.ts';

/** See `DataLayer.signOut`. It succeeds if the token has ended since the authentication. Source: RFC 7009. */
export async function signOut(
  { database }: Pick<Dependencies, 'database'>,
  { accountId, credentialId }: Principal,
): Promise<void> {
  await revokeTokenOfAccount(database, accountId, credentialId);
}
