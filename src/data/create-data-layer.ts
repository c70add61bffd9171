import { toApiError } from '../model/api-error.ts';
import { addSignInFailure } from '../storage/sign-in-failures.ts';
import { attempts } from './attempt.ts';
import { authenticate } from './authenticate.ts';
import { createApp } from './create-app.ts';
import type { DataLayer, Operations } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import { getResources } from './get-resources.ts';
import { getViewer } from './get-viewer.ts';
import { listProjectApps } from './list-project-apps.ts';
import { listProjectWallets } from './list-project-wallets.ts';
import { listProjects } from './list-projects.ts';
import { rotateAppKey } from './rotate-app-key.ts';
import { type CountFailure, signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';
import { updateApp } from './update-app.ts';
import { updateWallet } from './update-wallet.ts';

/** Returns the data layer that stores all resources in the database of `dependencies`. */
export function createDataLayer(dependencies: Dependencies): DataLayer {
  const { database } = dependencies;
  return {
    ...operations(dependencies, (...failure) => addSignInFailure(database, ...failure)),
    attempt: attempts(dependencies, operations),
  };
}

/** @param countFailure counts a failed sign-in, even if what the request has changed is undone */
function operations(dependencies: Dependencies, countFailure: CountFailure): Operations {
  return {
    authenticate: (bearerToken) => authenticate(dependencies, bearerToken),
    createApp: (principal, input) => createApp(dependencies, principal, input),
    updateApp: (principal, input) => updateApp(dependencies, principal, input),
    rotateAppKey: (principal, input) => rotateAppKey(dependencies, principal, input),
    signIn(principal, input, client) {
      const result = signIn(dependencies, principal, input, client, countFailure);
      return dependencies.onSignIn === undefined ? result : reported(result, dependencies.onSignIn);
    },
    signOut: (principal) => signOut(dependencies, principal),
    getViewer: (principal) => getViewer(dependencies, principal),
    updateWallet: (principal, input, client) => updateWallet(dependencies, principal, input, client),
    listProjects: (principal, input) => listProjects(dependencies, principal, input),
    listProjectApps: (principal, projects, input) =>
      listProjectApps(dependencies, principal, projects, input),
    listProjectWallets: (principal, projects, input) =>
      listProjectWallets(dependencies, principal, projects, input),
    getResources: (principal, names) => getResources(dependencies, principal, names),
    async checkReady() {
      await dependencies.database.checkReady();
    },
  };
}

/** Reports the outcome of a sign-in, and returns its result. */
async function reported<T>(result: Promise<T>, onSignIn: (outcome: string) => void): Promise<T> {
  try {
    const value = await result;
    onSignIn('OK');
    return value;
  } catch (error) {
    onSignIn(toApiError(error).reason);
    throw error;
  }
}
