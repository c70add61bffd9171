import { tokenInvalid } from '../model/api-error.ts';
import type { Principal } from '../model/principal.ts';
import type { Token } from '../model/token.ts';
import { findTokenOfAccount } from '../storage/tokens.ts';
import type { Dependencies } from './dependencies.ts';
import { tokenFromItem } from './from-row.ts';

/** See `DataLayer.getViewer`. */
export async function getViewer(
  { database }: Pick<Dependencies, 'database'>,
  { accountId, credentialId }: Principal,
): Promise<Token> {
  const item = await findTokenOfAccount(database, accountId, credentialId);
  // The token may have ended since the authentication.
  if (item === undefined) throw tokenInvalid();
  return tokenFromItem(item);
}
