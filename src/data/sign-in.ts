import { equalHashes, hashCredential } from '../credentials/credential.ts';
import { appInactive, invalidCredentials } from '../model/api-error.ts';
import { parseFields } from '../model/fields.ts';
import { signInFields } from '../model/operation-fields.ts';
import type { Principal } from '../model/principal.ts';
import { idOf } from '../model/resource-name.ts';
import { findAppSecret, lockApp } from '../storage/apps.ts';
import { revokeOldestTokens } from '../storage/tokens.ts';
import { recordClientAct } from './audit.ts';
import type { Client, SignInResult, UntrustedInput } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import type { FailedSignIn } from './failed-sign-in.ts';
import { appFromRow } from './from-row.ts';
import { issueToken } from './issue-token.ts';

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
  const { database, clock, maxTokensPerApp, tokenTtlSeconds } = dependencies;
  const { accountId } = principal;

  const row = await findAppSecret(database, accountId, idOf(name));
  const fail = () => recordFailure({ principal, client, app: row && name, timeMs: clock() });
  const keyHash = hashCredential(privateKey);
  const isCurrentKey = equalHashes(row?.private_key_hash ?? NO_HASH, keyHash);
  const isPreviousKey = equalHashes(row?.previous_key_hash ?? NO_HASH, keyHash);
  const isPreviousKeyLive = (row?.previous_key_expire_time_ms ?? 0) > clock();
  const isKeyCorrect = isCurrentKey || (isPreviousKey && isPreviousKeyLive);
  const isVisible = principal.level === 'account' || principal.projectId === row?.project_id;
  if (row === undefined || !isKeyCorrect || !isVisible) {
    await fail();
    throw invalidCredentials(name);
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
    await fail();
    // The key may have been changed since it was read.
    throw issued.app === undefined ? invalidCredentials(name) : appInactive(name);
  }
  const { accessToken, expireTimeMs } = issued.token;
  return { accessToken, expireTimeMs, app: appFromRow(issued.app) };
}
