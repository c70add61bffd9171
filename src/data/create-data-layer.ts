import { BackgroundWrites } from '../storage/background-writes.ts';
import { authenticate } from './authenticate.ts';
import { createApp } from './create-app.ts';
import type { DataLayer, Operations } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import { recordFailedSignIn } from './failed-sign-in.ts';
import { getResources } from './get-resources.ts';
import { getViewer } from './get-viewer.ts';
import { endToken, grantToken } from './grant-token.ts';
import { IdempotencyKeys } from './idempotency.ts';
import { listProjectApps } from './list-apps.ts';
import { listAuditEvents } from './list-audit-events.ts';
import { listProjects } from './list-projects.ts';
import { listTokens } from './list-tokens.ts';
import { listProjectWallets } from './list-wallets.ts';
import { revokeToken } from './revoke-token.ts';
import { rotateAppKey } from './rotate-app-key.ts';
import { type RecordFailure, signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';
import { toApiError } from './to-api-error.ts';
import { updateApp } from './update-app.ts';
import { updateWallet } from './update-wallet.ts';

/** Returns the data layer that stores all resources in the database of `external`. */
export function createDataLayer(external: Omit<Dependencies, 'backgroundWrites'>): DataLayer {
  const { database } = external;
  const dependencies = { ...external, backgroundWrites: new BackgroundWrites(database, external.onIgnored) };
  const keys = new IdempotencyKeys(dependencies, operations);
  const recordFailure: RecordFailure = (failure) => recordFailedSignIn(database, failure);
  const data: DataLayer = {
    ...operations(dependencies, recordFailure),
    beginKeyed: (principal, request) => keys.begin(database, principal, request),
    during(client) {
      const own = database.during(client);
      // On SQLite, requests have no limits, and share one object.
      if (own === database) return data;
      return {
        // A client that disconnects early must not avoid the record of its failed sign-ins.
        ...operations({ ...dependencies, database: own }, recordFailure),
        beginKeyed: (principal, request) => keys.begin(own, principal, request),
      };
    },
  };
  return data;
}

/** @param recordFailure records a failed sign-in, even if the changes of the request are undone */
function operations(dependencies: Dependencies, recordFailure: RecordFailure): Operations {
  const { onSignIn } = dependencies;
  return {
    authenticate: (bearerToken) => authenticate(dependencies, bearerToken),
    createApp: (principal, input, client) => createApp(dependencies, principal, input, client),
    updateApp: (principal, input, client) => updateApp(dependencies, { principal, client }, input),
    rotateAppKey: (principal, input, client) => rotateAppKey(dependencies, { principal, client }, input),
    signIn: (principal, input, client) =>
      reported(signIn(dependencies, principal, input, client, recordFailure), onSignIn),
    grantToken: (credentials, isReadOnly, client) =>
      reported(grantToken(dependencies, credentials, isReadOnly, client, recordFailure), onSignIn),
    endToken: (token, credentials, client) =>
      endToken(dependencies, token, credentials, client, recordFailure),
    signOut: (principal, client) => signOut(dependencies, principal, client),
    getViewer: (principal) => getViewer(dependencies, principal),
    listTokens: (principal, input) => listTokens(dependencies, { principal }, input),
    revokeToken: (principal, input, client) => revokeToken(dependencies, { principal, client }, input),
    updateWallet: (principal, input, client) => updateWallet(dependencies, { principal, client }, input),
    listProjects: (principal, input) => listProjects(dependencies, { principal }, input),
    listProjectApps: (principal, projects, input) =>
      listProjectApps(dependencies, principal, projects, input),
    listProjectWallets: (principal, projects, input) =>
      listProjectWallets(dependencies, principal, projects, input),
    listEvents: (principal, { action, ...page }) =>
      listAuditEvents(dependencies, { principal }, { ...page, action: action ?? undefined }),
    getResources: (principal, names) => getResources(dependencies, principal, names),
    async checkReady() {
      await dependencies.database.checkReady();
    },
  };
}

/** Reports the outcome of a sign-in, and returns its result. */
async function reported<T>(result: Promise<T>, onSignIn: Dependencies['onSignIn']): Promise<T> {
  try {
    const value = await result;
    onSignIn?.('OK');
    return value;
  } catch (error) {
    onSignIn?.(toApiError(error).reason);
    throw error;
  }
}
