import { createCredential, equalHashes, hashCredential } from '../credentials/credential.ts';
import type { App } from '../model/app.ts';
import { type Client, type Principal, seesProject } from '../model/caller.ts';
import { ApiError } from '../model/errors.ts';
import { parseFields, privateKey, resourceNameValidator } from '../model/fields/fields.ts';
import { idOf, type ResourceName, type Ulid } from '../model/resource-name.ts';
import type { Queryable } from '../storage/interface/database.ts';
import { type AppSecretRow, findAppSecret, lastSignInChange } from '../storage/tables/apps.ts';
import { insertSignIn } from '../storage/tables/sign-ins.ts';
import { auditEvent, rememberEvent } from './audit/audit.ts';
import {
  begin,
  type Call,
  type OperationDependencies,
  type Rules,
  type UntrustedInput,
} from './call/call.ts';
import { toApiError } from './call/to-api-error.ts';
import { appFromRow } from './conversions/app.ts';

// A placeholder for the hash of a missing app: the response time must not show whether an app exists.
const NO_HASH = hashCredential('');

export type AppCredentials = { readonly name: ResourceName<'apps'>; readonly privateKey: string };

export type SignInResult = {
  /** A bearer token for the project of the app. */
  readonly accessToken: string;
  /** The expiry of the token: Unix time in milliseconds. The token can be revoked earlier. */
  readonly expireTimeMs: number;
  /** The time until the expiry, in whole seconds. */
  readonly lifetimeSeconds: number;
  readonly app: App;
};

/** The credentials of an app, and the client that has sent them. */
export type SignInAttempt = AppCredentials & {
  readonly accountId: Ulid;
  /** The principal of the request; undefined if it has no bearer token. */
  readonly principal: Principal | undefined;
  /** Whether the new token is read-only. */
  readonly isReadOnly: boolean;
  readonly client: Client;
};

const INPUT = { name: resourceNameValidator('apps'), privateKey };

signIn.rules = { caller: 'any', changes: true, input: INPUT } as const satisfies Rules;

/**
 * Issues a project token for an app. If the app has too many tokens, the oldest are revoked.
 *
 * @param input `name` and `privateKey` of the app
 * @throws UNAUTHENTICATED if the app does not exist or the key is wrong
 * @throws PERMISSION_DENIED if the app is inactive
 */
export async function signIn(call: Call, input: UntrustedInput): Promise<SignInResult> {
  const dependencies = begin(call, signIn.rules);
  const { principal, client } = call.caller;
  const { accountId } = principal;
  const result = await issueProjectToken(dependencies, async () => {
    const credentials = parseFields(input, INPUT);
    return { ...credentials, accountId, principal, isReadOnly: false, client };
  });
  const resource = result.app.name;
  dependencies.recordIfUndone?.({ action: 'sign_in.undo', accountId, principal, client, resource });
  return result;
}

/**
 * Returns an app that has proved its identity by its key, and this key.
 * @throws UNAUTHENTICATED if the app does not exist or the key is wrong
 * @throws PERMISSION_DENIED if the app is inactive
 */
export async function authenticateApp(
  { database, recordFailure }: OperationDependencies,
  attempt: Omit<SignInAttempt, 'isReadOnly'>,
  now: number,
) {
  const { accountId, principal, name, client } = attempt;
  const { row, key } = await findApp(database, attempt, now);
  const isVisible = row && (principal === undefined || seesProject(principal, row.project_id));
  const isSignedIn = key !== undefined && isVisible === true;
  const isAllowed = isSignedIn && row.active === 1;
  client.count?.(isAllowed ? { accountId, tokenId: row.id } : undefined);
  if (!isAllowed) {
    const resource = row && name;
    await recordFailure({ action: 'sign_in.fail', accountId, principal, client, resource });
    throw new ApiError(isSignedIn ? 'APP_INACTIVE' : 'INVALID_CREDENTIALS', { app: name });
  }
  return { row, key };
}

/** Issues a project token to an app that has proved its identity by its key, and reports the outcome. See `signIn`. */
export async function issueProjectToken(
  dependencies: OperationDependencies,
  attempt: () => Promise<SignInAttempt>,
): Promise<SignInResult> {
  const { onSignIn } = dependencies;
  try {
    const result = await issue(dependencies, await attempt());
    onSignIn?.('OK');
    return result;
  } catch (error) {
    onSignIn?.(toApiError(error).reason);
    throw error;
  }
}

async function issue(dependencies: OperationDependencies, attempt: SignInAttempt): Promise<SignInResult> {
  const { accountId, principal, name, isReadOnly, client } = attempt;
  const { database, clock, newId, maxTokensPerApp, tokenTtlSeconds } = dependencies;
  const now = clock();
  const { row, key } = await authenticateApp(dependencies, attempt, now);
  const caller = { principal: principal ?? { tokenId: undefined, appId: row.id, title: '' }, client };
  const ttlMs = Math.min(tokenTtlSeconds * 1000, key.lifeMs);
  const expireTimeMs = now + ttlMs;
  const tokenId = newId();
  const accessToken = createCredential('app', accountId, tokenId);
  const act = { accountId, action: 'sign_in.succeed', resource: name, tokenId } as const;
  const event = auditEvent({ caller, newId }, act);
  const app = await insertSignIn(database, {
    currentKeyId: row.private_key_id,
    token: {
      account_id: accountId,
      id: tokenId,
      project_id: row.project_id,
      app_id: row.id,
      app_key_id: key.id,
      maker_token_id: null,
      hash: hashCredential(accessToken),
      title: '',
      is_one_project: 1,
      is_read_only: isReadOnly ? 1 : 0,
      expire_time_ms: expireTimeMs,
    },
    maxTokens: maxTokensPerApp,
    event,
  });
  // The app was deactivated or deleted, or has another key, since it was read.
  if (app === undefined) return issue(dependencies, attempt);
  rememberEvent(event, dependencies);
  const write = lastSignInChange(row, now);
  if (write !== undefined) dependencies.backgroundWrites.add(row.id, write);
  const lifetimeSeconds = Math.floor(ttlMs / 1000);
  return { accessToken, expireTimeMs, lifetimeSeconds, app: appFromRow(app, now) };
}

/** Returns an app, if it exists, and its valid key, if it is the key of the attempt. */
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
