import { createCredential, hashCredential } from '../credentials/credential.ts';
import type { Scope } from '../model/principal.ts';
import type { Ulid } from '../model/resource-name.ts';
import type { Queryable } from '../storage/database.ts';
import type { AppOfToken } from '../storage/keyv-adapter.ts';
import { tokenStore } from '../storage/token-store.ts';
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
 * @param ttlMs the lifetime of the token, in milliseconds
 * @param app the app that signs in, with the public id of its key; omitted for an account token
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function issueToken(
  database: Queryable,
  { clock, newId }: Pick<Dependencies, 'clock' | 'newId'>,
  principal: Scope,
  ttlMs: number,
  app?: AppOfToken,
): Promise<IssuedToken> {
  const id = newId();
  const accessToken = createCredential(app === undefined ? 'acct' : 'app', principal.accountId, id);
  const now = clock();
  const record = { hash: hashCredential(accessToken), principal };
  await tokenStore(database, () => now).add(id, record, ttlMs, app);
  return { id, accessToken, expireTimeMs: now + ttlMs };
}
