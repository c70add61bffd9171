import { equalHashes, hashCredential, parseCredential } from '../credentials/credential.ts';
import { tokenInvalid } from '../model/api-error.ts';
import type { Principal } from '../model/principal.ts';
import { lastUseStatement } from '../storage/tokens.ts';
import type { Dependencies } from './dependencies.ts';

/** See `DataLayer.authenticate`. A token with a wrong checksum is rejected without a database query. */
export async function authenticate(
  { tokens, backgroundWrites, clock }: Pick<Dependencies, 'tokens' | 'backgroundWrites' | 'clock'>,
  bearerToken: string,
): Promise<Principal> {
  const token = parseCredential(bearerToken);
  if (token === undefined || token.kind === 'key') throw tokenInvalid();
  const { accountId, serial } = token;
  const record = await tokens.find(accountId, serial);
  if (record === undefined || !equalHashes(record.hash, hashCredential(bearerToken))) {
    throw tokenInvalid();
  }
  const use = lastUseStatement(accountId, serial, record, clock());
  if (use !== undefined) backgroundWrites.add(serial, use);
  return { ...record.principal, credentialId: serial };
}
