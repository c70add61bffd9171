import { createCredential, hashCredential } from '../credentials/credential.ts';
import type { Scope } from '../model/principal.ts';
import type { Ulid } from '../model/resource-name.ts';
import type { Queryable } from '../storage/database.ts';
import { tokenStore } from '../storage/tokens.ts';
import type { Dependencies } from './dependencies.ts';

/** A new bearer token. The gateway stores only its hash. */
export type IssuedToken = {
  /** The public id of the token. */
  readonly id: Ulid;
  readonly accessToken: string;
  /** The expiry of the token: Unix time in milliseconds. The token can be revoked earlier. */
  readonly expireTimeMs: number;
};

/**
 * Issues a bearer token for a principal: an account token or an access token of an app.
 *
 * @param database the database, or the transaction in which the token is stored
 * @param ownerId the id of the account or of the app
 * @param ttlMs the lifetime of the token, in milliseconds
 * @param appKeyId the public id of the app key for which the token is issued; empty for an account token
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function issueToken(
  database: Queryable,
  { clock, newId }: Pick<Dependencies, 'clock' | 'newId'>,
  ownerId: Ulid,
  principal: Scope,
  ttlMs: number,
  appKeyId: string,
): Promise<IssuedToken> {
  const id = newId();
  const accessToken = createCredential(principal.level === 'account' ? 'acct' : 'app', ownerId, id);
  const expireTimeMs = clock() + ttlMs;
  const record = { hash: hashCredential(accessToken), principal };
  await tokenStore(database, clock).add(ownerId, id, record, ttlMs, appKeyId);
  return { id, accessToken, expireTimeMs };
}
