import { createCredential, hashCredential } from '../credentials/credential.ts';
import type { Principal } from '../model/principal.ts';
import type { Ulid } from '../model/resource-name.ts';
import type { Queryable } from '../storage/database.ts';
import { openTokens } from '../storage/tokens.ts';
import type { Dependencies } from './dependencies.ts';

/** A bearer token that was just made. Only its hash is kept. */
export type IssuedToken = {
  readonly accessToken: string;
  /** Until when it is good at least: Unix time in milliseconds. */
  readonly expireTimeMs: number;
};

/**
 * Makes a bearer token for a principal: an account token, or an access token of an app.
 *
 * @param database where it is kept; a transaction, if it depends on anything else
 * @param ownerId the account or the app that it belongs to
 * @param lifeSeconds how long it lives, in seconds
 */
export async function issueToken(
  database: Queryable,
  { clock, newId }: Pick<Dependencies, 'clock' | 'newId'>,
  ownerId: Ulid,
  principal: Principal,
  lifeSeconds: number,
): Promise<IssuedToken> {
  const serial = newId();
  const accessToken = createCredential(principal.level === 'account' ? 'acct' : 'app', ownerId, serial);
  const lifeMs = lifeSeconds * 1000;
  const expireTimeMs = clock() + lifeMs;
  await openTokens(database, clock).add(
    ownerId,
    serial,
    { hash: hashCredential(accessToken), principal },
    lifeMs,
  );
  return { accessToken, expireTimeMs };
}
