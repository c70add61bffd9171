import { createCredential, hashCredential } from '../credentials/credential.ts';
import type { Scope } from '../model/principal.ts';
import type { Ulid } from '../model/resource-name.ts';
import type { TokenRecord } from '../storage/token-store.ts';

/** A new bearer token. */
export type NewToken = {
  /** The public id of the token. */
  readonly id: Ulid;
  readonly accessToken: string;
  /** The data to store, with the hash of the token. */
  readonly record: TokenRecord;
};

/** Makes a bearer token for a principal: an account token or a project token. It is not stored yet. */
export function newToken(kind: 'acct' | 'app', principal: Scope, id: Ulid): NewToken {
  const accessToken = createCredential(kind, principal.accountId, id);
  return { id, accessToken, record: { hash: hashCredential(accessToken), principal } };
}
