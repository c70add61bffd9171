import { equalHashes, hashCredential } from '../credentials/credential.ts';
import { type ApiError, appInactive, invalidCredentials, tooManyFailedSignIns } from '../model/api-error.ts';
import { parseFields } from '../model/fields.ts';
import { signInFields } from '../model/operation-fields.ts';
import type { Principal } from '../model/principal.ts';
import { idOf, type ResourceName } from '../model/resource-name.ts';
import { findAppSecret, lockApp } from '../storage/apps.ts';
import { findSignInFailures, type SignInFailures } from '../storage/sign-in-failures.ts';
import { revokeOldestTokens } from '../storage/tokens.ts';
import { recordClientAct } from './audit.ts';
import type { Client, SignInResult, UntrustedInput } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import type { FailedSignIn } from './failed-sign-in.ts';
import { appFromRow } from './from-row.ts';
import { issueToken } from './issue-token.ts';

// A placeholder for the hash of a missing app: the response time must not show whether an app exists.
const NO_HASH = hashCredential('');

// The time for which a failed sign-in counts.
const FAILURE_WINDOW_MS = 10 * 60_000;

type SignInDependencies = Pick<
  Dependencies,
  'database' | 'clock' | 'newId' | 'maxFailedSignIns' | 'maxTokensPerApp' | 'tokenTtlSeconds'
>;

/** Records a failed sign-in. See `recordFailedSignIn`. */
export type RecordFailure = (failure: FailedSignIn) => Promise<SignInFailures | undefined>;

/** See `DataLayer.signIn`. */
export async function signIn(
  dependencies: SignInDependencies,
  principal: Principal,
  input: UntrustedInput,
  client: Client,
  recordFailure: RecordFailure,
): Promise<SignInResult> {
  const { name, privateKey } = parseFields(input, signInFields);
  const { database, clock, maxFailedSignIns, maxTokensPerApp, tokenTtlSeconds } = dependencies;
  const { accountId, credentialId } = principal;

  // Failures are counted by client, so that nobody can lock an app by guessing its key.
  const attempt = { accountId, appId: idOf(name), credentialId, address: client.address };
  const [row, failures] = await Promise.all([
    findAppSecret(database, accountId, attempt.appId),
    findSignInFailures(database, attempt, clock()),
  ]);
  if (failures !== undefined && failures.count >= maxFailedSignIns)
    throw tooManyFailures(failures, clock(), name);
  const { requestId } = client;
  const fail = (now: number, expireTimeMs?: number) =>
    recordFailure({ attempt, appExists: row !== undefined, requestId, now, expireTimeMs });
  const keyHash = hashCredential(privateKey);
  const isCurrentKey = equalHashes(row?.private_key_hash ?? NO_HASH, keyHash);
  const isPreviousKey = equalHashes(row?.previous_key_hash ?? NO_HASH, keyHash);
  const isPreviousKeyLive = (row?.previous_key_expire_time_ms ?? 0) > clock();
  const isKeyCorrect = isCurrentKey || (isPreviousKey && isPreviousKeyLive);
  const isVisible = principal.level === 'account' || principal.projectId === row?.project_id;
  if (row === undefined || !isKeyCorrect || !isVisible) {
    const now = clock();
    const counted = await fail(now, now + FAILURE_WINDOW_MS);
    // Concurrent sign-ins can exceed the limit. These don't learn whether their key is correct.
    const isOverLimit = counted !== undefined && counted.count > maxFailedSignIns;
    throw isOverLimit ? tooManyFailures(counted, now, name) : invalidCredentials(name);
  }

  const issued = await database.transaction(async (transaction) => {
    // The lock is held until the token is stored, so that a concurrent deactivation or change of the key revokes this
    // token, too.
    const now = clock();
    const app = await lockApp(transaction, accountId, row.id, keyHash, now);
    if (app?.active !== 1) return { app };
    // The lock also keeps concurrent sign-ins from exceeding the maximum.
    await revokeOldestTokens(transaction, accountId, row.id, maxTokensPerApp - 1);
    const appPrincipal = { level: 'project', accountId, projectId: row.project_id } as const;
    const keyLifeMs = (app.key_expire_time_ms ?? Infinity) - now;
    const ttlMs = Math.min(tokenTtlSeconds * 1000, keyLifeMs);
    // With the same time, so that the token does not outlive the key.
    const issuer = { ...dependencies, clock: () => now };
    const token = await issueToken(transaction, issuer, appPrincipal, ttlMs, {
      id: app.id,
      keyId: app.key_id,
    });
    const act = { action: 'sign_in.succeed', resource: name, tokenId: token.id } as const;
    await recordClientAct(transaction, dependencies, principal, client, act);
    return { app, token };
  });
  if (issued.token === undefined) {
    await fail(clock());
    // The key may have been changed since it was read.
    throw issued.app === undefined ? invalidCredentials(name) : appInactive(name);
  }
  const { accessToken, expireTimeMs } = issued.token;
  return { accessToken, expireTimeMs, app: appFromRow(issued.app) };
}

function tooManyFailures({ expireTimeMs }: SignInFailures, now: number, app: ResourceName<'apps'>): ApiError {
  return tooManyFailedSignIns(Math.ceil((expireTimeMs - now) / 1000), app);
}
