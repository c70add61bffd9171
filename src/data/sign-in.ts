import { createCredential, equalHashes, hashCredential } from '../credentials/credential.ts';
import { ApiError } from '../model/errors.ts';
import { parseFields } from '../model/fields/fields.ts';
import { signInFields } from '../model/fields/operation-fields.ts';
import { onlyProjectOf, type Principal } from '../model/principal.ts';
import { idOf, type Ulid } from '../model/resource-name.ts';
import { type AppSecretRow, findAppSecret, lastSignInStatement } from '../storage/apps.ts';
import type { Queryable } from '../storage/port/database.ts';
import { insertSignIn } from '../storage/sign-ins.ts';
import type { ClientActor } from './access/actor.ts';
import { auditEvent } from './audit/audit.ts';
import type { AppCredentials, Client, OauthClient, SignInResult, UntrustedInput } from './data-layer.ts';
import type { Dependencies } from './operation/dependencies.ts';
import { appFromRow } from './rows/from-row.ts';

// A placeholder for the hash of a missing app: the response time must not show whether an app exists.
const NO_HASH = hashCredential('');

/** The credentials of an app, and the client that has sent them. */
export type SignInAttempt = AppCredentials & {
  readonly accountId: Ulid;
  /** The principal of the request; undefined if it has no bearer token. */
  readonly principal: Principal | undefined;
  /** Whether the new token may only read. */
  readonly isReadOnly: boolean;
  readonly client: Client & Partial<OauthClient>;
};

/** See `Changes.signIn`. */
export function signIn(
  dependencies: Dependencies,
  { principal, client }: ClientActor,
  input: UntrustedInput,
): Promise<SignInResult> {
  const credentials = parseFields(input, signInFields);
  const attempt = { ...credentials, accountId: principal.accountId, principal, isReadOnly: false, client };
  return issueToken(dependencies, attempt);
}

/**
 * Returns an app that has proved its identity by its key, and this key.
 * @throws UNAUTHENTICATED if the app does not exist or the key is wrong
 * @throws PERMISSION_DENIED if the app is inactive
 */
export async function authenticateApp(
  { database, newId, recordFailure }: Dependencies,
  attempt: Omit<SignInAttempt, 'isReadOnly'>,
  now: number,
) {
  const { accountId, principal, name, client } = attempt;
  const { row, key } = await findApp(database, attempt, now);
  const only = principal && onlyProjectOf(principal);
  const isVisible = only === undefined || only === row?.project_id;
  const isSignedIn = row !== undefined && key !== undefined && isVisible;
  const isAllowed = isSignedIn && row.active === 1;
  await client.count?.(isAllowed ? { accountId, tokenId: row.id } : undefined);
  if (!isAllowed) {
    const app = row && name;
    await recordFailure({ id: newId(), action: 'sign_in.fail', accountId, principal, client, app });
    throw new ApiError(isSignedIn ? 'APP_INACTIVE' : 'INVALID_CREDENTIALS', { app: name });
  }
  return { row, key };
}

/** Issues a project token to an app that has proved its identity by its key. See `Changes.signIn`. */
export async function issueToken(dependencies: Dependencies, attempt: SignInAttempt): Promise<SignInResult> {
  const { accountId, principal, name, isReadOnly, client } = attempt;
  const { database, clock, newId, maxTokensPerApp, tokenTtlSeconds } = dependencies;
  const now = clock();
  const { row, key } = await authenticateApp(dependencies, attempt, now);
  const actor = { principal, client };
  const ttlMs = Math.min(tokenTtlSeconds * 1000, key.lifeMs);
  const expireTimeMs = now + ttlMs;
  const tokenId = newId();
  const accessToken = createCredential('app', accountId, tokenId);
  const act = { accountId, action: 'sign_in.succeed', resource: name, tokenId } as const;
  const app = await insertSignIn(database, {
    currentKeyId: row.private_key_id,
    token: {
      account_id: accountId,
      id: tokenId,
      project_id: row.project_id,
      app_id: row.id,
      app_key_id: key.id,
      hash: hashCredential(accessToken),
      title: '',
      is_one_project: 1,
      is_read_only: isReadOnly ? 1 : 0,
      expire_time_ms: expireTimeMs,
    },
    maxTokens: maxTokensPerApp,
    event: auditEvent(dependencies, actor, act),
  });
  // The app was deactivated or deleted, or has another key, since it was read.
  if (app === undefined) return issueToken(dependencies, attempt);
  const write = lastSignInStatement(row, now);
  if (write !== undefined) dependencies.backgroundWrites.add(row.id, write);
  const lifetimeSeconds = Math.floor(ttlMs / 1000);
  return { accessToken, expireTimeMs, lifetimeSeconds, app: appFromRow(app, now) };
}

/** Returns an app, if it exists, and its valid key, if it is that of the attempt. */
export async function findApp(
  database: Queryable,
  { accountId, name, privateKey }: AppCredentials & { readonly accountId: Ulid },
  now: number,
) {
  const row = await findAppSecret(database, accountId, idOf(name));
  return { row, key: keyWith(row, hashCredential(privateKey), now) };
}

/**
 * Returns the valid key of an app with this hash: the current one, or the one before it within its grace period. The
 * comparison takes the same time for an app that does not exist.
 */
function keyWith(
  app: AppSecretRow | undefined,
  keyHash: string,
  now: number,
): { readonly id: string; readonly lifeMs: number } | undefined {
  const isCurrent = equalHashes(app?.private_key_hash ?? NO_HASH, keyHash);
  const isPrevious = equalHashes(app?.previous_key_hash ?? NO_HASH, keyHash);
  if (app && isCurrent) return { id: app.private_key_id, lifeMs: Number.POSITIVE_INFINITY };
  const lifeMs = (app?.previous_key_expire_time_ms ?? 0) - now;
  return app?.previous_key_id && isPrevious && lifeMs > 0 ? { id: app.previous_key_id, lifeMs } : undefined;
}
