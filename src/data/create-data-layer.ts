import { ApiError } from '../model/errors.ts';
import type { ClientActor } from './access/actor.ts';
import { authenticate } from './access/authenticate.ts';
import { whileTokenIsValid } from './access/while-token-is-valid.ts';
import { recordSignInWithoutToken } from './audit/sign-in-without-token.ts';
import { createApp } from './create-app.ts';
import type { Changes, DataLayer, OauthOperations, Reads, RequestDataLayer } from './data-layer.ts';
import { IdempotencyKeys } from './idempotency/idempotency.ts';
import { listProjects } from './list-projects.ts';
import { createProject } from './more/create-project.ts';
import { deleteApp } from './more/delete-app.ts';
import { endToken } from './more/end-token.ts';
import { getResources } from './more/get-resources.ts';
import { getViewer } from './more/get-viewer.ts';
import { grantToken } from './more/grant-token.ts';
import { introspectToken } from './more/introspect-token.ts';
import { listProjectApps } from './more/list-apps.ts';
import { listAuditEvents, settledTime } from './more/list-audit-events.ts';
import { listTokens } from './more/list-tokens.ts';
import { findWallets, listProjectWallets } from './more/list-wallets.ts';
import { revokeToken } from './more/revoke-token.ts';
import { rotateAppKey } from './more/rotate-app-key.ts';
import { signOut } from './more/sign-out.ts';
import { updateApp } from './more/update-app.ts';
import { updateProject } from './more/update-project.ts';
import type { Dependencies } from './operation/dependencies.ts';
import { toApiError } from './operation/errors.ts';
import { signIn } from './sign-in.ts';
import { updateWallet } from './update-wallet.ts';

/** Returns the data layer that stores all resources in the database of `settings`. */
export function createDataLayer(settings: Omit<Dependencies, 'recordFailure'>): DataLayer {
  const { database } = settings;
  const dependencies: Dependencies = {
    ...settings,
    recordFailure: (signIn) => recordSignInWithoutToken(database, signIn),
  };
  const keys = new IdempotencyKeys(dependencies, (own, actor) => ({ ...reads(own), ...changes(own, actor) }));
  const layerOn = (own: Dependencies): RequestDataLayer => ({
    ...reads(own),
    ...oauthOperations(own),
    changes: (principal, client) => ({
      ...changes(own, { principal, client }),
      beginKeyed: (request) => keys.begin(own.database, { principal, client }, request),
    }),
  });
  const data: DataLayer = {
    ...layerOn(dependencies),
    during(client) {
      const own = database.forRequest(client);
      // On SQLite, requests have no limits, and share one object.
      return own === database ? data : layerOn({ ...dependencies, database: own });
    },
  };
  return data;
}

function reads(dependencies: Dependencies): Reads {
  return {
    authenticate: (bearerToken) => authenticate(dependencies, bearerToken),
    getViewer: (principal) => getViewer(dependencies, principal),
    listTokens: (principal, input) => listTokens(dependencies, { principal }, input),
    listProjects: (principal, input) => listProjects(dependencies, { principal }, input),
    listProjectApps: (principal, projects, input) =>
      listProjectApps(dependencies, principal, projects, input),
    listProjectWallets: (principal, projects, input) =>
      listProjectWallets(dependencies, principal, projects, input),
    findWallets: (principal, input) => findWallets(dependencies, principal, input),
    listEvents: (principal, { settled, ...input }) => {
      const until = settled ? settledTime(dependencies) : undefined;
      return listAuditEvents(dependencies, { principal }, { ...input, until });
    },
    getResources: (principal, names) => getResources(dependencies, principal, names),
    async checkReady() {
      await dependencies.database.checkReady();
    },
  };
}

/** Every change with a bearer token is one of these: a token that may only read is refused here. */
function changes(dependencies: Dependencies, actor: ClientActor): Changes {
  const { database, clock, onSignIn } = dependencies;
  if (actor.principal.isReadOnly) throw new ApiError('READ_ONLY_TOKEN');
  const whileValid = { ...dependencies, database: whileTokenIsValid(database, actor.principal, clock) };
  return {
    createProject: (input) => createProject(whileValid, actor, input),
    updateProject: (input) => updateProject(whileValid, actor, input),
    createApp: (input) => createApp(whileValid, actor, input),
    updateApp: (input) => updateApp(whileValid, actor, input),
    deleteApp: (input) => deleteApp(whileValid, actor, input),
    rotateAppKey: (input) => rotateAppKey(whileValid, actor, input),
    signIn: (input) => reported(signIn(whileValid, actor, input), onSignIn),
    signOut: () => signOut(dependencies, actor),
    revokeToken: (input) => revokeToken(whileValid, actor, input),
    updateWallet: (input) => updateWallet(whileValid, actor, input),
  };
}

function oauthOperations(dependencies: Dependencies): OauthOperations {
  return {
    grantToken: (credentials, isReadOnly, client) =>
      reported(grantToken(dependencies, credentials, isReadOnly, client), dependencies.onSignIn),
    endToken: (token, credentials, client) => endToken(dependencies, token, credentials, client),
    introspectToken: (token, credentials, client) =>
      introspectToken(dependencies, token, credentials, client),
  };
}

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
