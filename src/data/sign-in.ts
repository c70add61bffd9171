import { equalHashes, hashCredential } from '../credentials/credential.ts';
import { appInactive, invalidCredentials } from '../model/api-error.ts';
import { parseFields } from '../model/fields.ts';
import { signInFields } from '../model/operation-fields.ts';
import type { Principal } from '../model/principal.ts';
import { idOf } from '../model/resource-name.ts';
import { type AppSecretRow, findAppSecret } from '../storage/apps.ts';
import { insertSignIn } from '../storage/sign-ins.ts';
import { auditEvent } from './audit.ts';
import type { Client, SignInResult, UntrustedInput } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import type { FailedSignIn } from './failed-sign-in.ts';
import { appFromRow } from './from-row.ts';
import { newToken } from './new-token.ts';

// A placeholder for the hash of a missing app: the response time must not show whether an app exists.
const NO_HASH = hashCredential('');

type SignInDependencies = Pick<
  Dependencies,
  'database' | 'clock' | 'newId' | 'maxTokensPerApp' | 'tokenTtlSeconds'
>;

/** Records a failed sign-in. See `recordFailedSignIn`. */
export type RecordFailure = (failure: FailedSignIn) => Promise<void>;

/** See `DataLayer.signIn`. */
export async function signIn(
  dependencies: SignInDependencies,
  principal: Principal,
  input: UntrustedInput,
  client: Client,
  recordFailure: RecordFailure,
): Promise<SignInResult> {
  const { name, privateKey } = parseFields(input, signInFields);
  const { database, clock, newId, maxTokensPerApp, tokenTtlSeconds } = dependencies;
  const { accountId } = principal;

  const row = await findAppSecret(database, accountId, idOf(name));
  const now = clock();
  const key = keyWith(row, hashCredential(privateKey), now);
  const isVisible = principal.level === 'account' || principal.projectId === row?.project_id;
  const isSignedIn = row !== undefined && key !== undefined && isVisible;
  if (!isSignedIn || row.active !== 1) {
    await recordFailure({ principal, client, app: row && name, timeMs: now });
    throw isSignedIn ? appInactive(name) : invalidCredentials(name);
  }

  const scope = { level: 'project', accountId, projectId: row.project_id } as const;
  const { id: tokenId, accessToken, record } = newToken('app', scope, newId());
  const ttlMs = Math.min(tokenTtlSeconds * 1000, key.lifeMs);
  const act = { accountId, action: 'sign_in.succeed', resource: name, tokenId } as const;
  const app = await insertSignIn(database, () => now, {
    appId: row.id,
    currentKeyId: row.private_key_id,
    keyId: key.id,
    tokenId,
    record,
    ttlMs,
    maxTokens: maxTokensPerApp,
    event: auditEvent(dependencies, { principal, client }, act),
  });
  // The app was deactivated or deleted, or has another key, since it was read.
  if (app === undefined) return signIn(dependencies, principal, input, client, recordFailure);
  return { accessToken, expireTimeMs: now + ttlMs, app: appFromRow(app) };
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
