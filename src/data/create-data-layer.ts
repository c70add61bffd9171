import { authenticate } from './authenticate.ts';
import { createApp } from './create-app.ts';
import type { DataLayer } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import { getResources } from './get-resources.ts';
import { listProjects } from './list-projects.ts';
import { signIn } from './sign-in.ts';
import { updateWallet } from './update-wallet.ts';

/** Returns the data layer that stores all resources in the database of `dependencies`. */
export function createDataLayer(dependencies: Dependencies): DataLayer {
  return {
    authenticate: (bearerToken) => authenticate(dependencies, bearerToken),
    createApp: (principal, input) => createApp(dependencies, principal, input),
    signIn: (principal, input, client) => signIn(dependencies, principal, input, client),
    updateWallet: (principal, input, client) => updateWallet(dependencies, principal, input, client),
    listProjects: (principal, input) => listProjects(dependencies, principal, input),
    getResources: (principal, names) => getResources(dependencies, principal, names),
    checkReady: () => dependencies.database.checkReady(),
  };
}
