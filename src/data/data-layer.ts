import type { Caller, Client, Principal } from '../model/caller.ts';
import { authenticate } from './access/authenticate.ts';
import { recordFailure } from './audit/failures.ts';
import { createApp } from './create-app.ts';
import { beginKeyed, type KeyedRequest, type KeyedResult } from './idempotency/begin-keyed.ts';
import { listProjects } from './list-projects.ts';
import { countAddresses } from './more/count-addresses.ts';
import { createProject } from './more/create-project.ts';
import { createToken } from './more/create-token.ts';
import { createWallet } from './more/create-wallet.ts';
import { deleteApp } from './more/delete-app.ts';
import { endToken } from './more/end-token.ts';
import { getResources } from './more/get-resources.ts';
import { getViewer } from './more/get-viewer.ts';
import { grantToken } from './more/grant-token.ts';
import { introspectToken } from './more/introspect-token.ts';
import { findApps, listProjectApps } from './more/list-apps.ts';
import { listEvents } from './more/list-events.ts';
import { listTokens } from './more/list-tokens.ts';
import { findWallets, listProjectWallets } from './more/list-wallets.ts';
import { revokeToken } from './more/revoke-token.ts';
import { rotateAppKey } from './more/rotate-app-key.ts';
import { signOut } from './more/sign-out.ts';
import { updateApp } from './more/update-app.ts';
import { updateProject } from './more/update-project.ts';
import type { Dependencies } from './operation/dependencies.ts';
import { assertAllowed, type Bound, boundOperations, type Rules } from './operation/operation.ts';
import { signIn } from './sign-in.ts';
import { updateWallet } from './update-wallet.ts';

export type { FirstRequest, KeyedRequest } from './idempotency/begin-keyed.ts';
export type { FilteredArguments } from './lists/read-list.ts';
export type { Resource } from './more/get-resources.ts';
export type { AppCredentials } from './sign-in.ts';

/** The operations that only read. */
export const READS = {
  getViewer,
  countAddresses,
  listProjects,
  listProjectApps,
  listProjectWallets,
  findApps,
  findWallets,
  listTokens,
  listEvents,
  getResources,
} satisfies Declared<false>;

/** The operations that change something. */
export const CHANGES = {
  createProject,
  updateProject,
  createApp,
  updateApp,
  deleteApp,
  rotateAppKey,
  signIn,
  signOut,
  createToken,
  revokeToken,
  createWallet,
  updateWallet,
} satisfies Declared<true>;

/** The operations of a client that has no bearer token. */
const WITHOUT_TOKEN = { grantToken, endToken, introspectToken };

type Declared<Changes> = Readonly<Record<string, { readonly rules: Rules & { readonly changes: Changes } }>>;

export type Reads = Bound<typeof READS>;

export type Changes = Bound<typeof CHANGES>;

/** The operations of one request. They throw the errors that their comments name, for `toApiError`. */
export type RequestOperations = Reads &
  Changes & {
    /** @throws PERMISSION_DENIED if the token may only read */
    assertMayChange(): void;
    /** See `beginKeyed`. */
    beginKeyed(request: KeyedRequest): Promise<KeyedResult<Reads & Changes>>;
  };

/** The operations of the service, which all APIs call. On PostgreSQL, all statements of a request share a timeout. */
export type DataLayer = {
  authenticate(bearerToken: string): Promise<Principal>;
  forRequest(client: Client, principal: Principal): RequestOperations;
  /** Returns the operations for a request without a bearer token. */
  withoutToken(client: Client): Bound<typeof WITHOUT_TOKEN>;
};

const BoundOperations = boundOperations<Caller, typeof READS & typeof CHANGES>({ ...READS, ...CHANGES });

class OwnOperations extends BoundOperations implements RequestOperations {
  assertMayChange(): void {
    assertAllowed({ caller: 'any', changes: true }, this.caller.principal);
  }

  beginKeyed(request: KeyedRequest): Promise<KeyedResult<Reads & Changes>> {
    const bind = (dependencies: Dependencies) => new OwnOperations(dependencies, this.caller);
    return beginKeyed(this.dependencies, this.caller, request, bind);
  }
}

const BoundWithoutToken = boundOperations<Client, typeof WITHOUT_TOKEN>(WITHOUT_TOKEN);

/** Returns the data layer that stores all resources in the database of `settings`. */
export function createDataLayer(settings: Omit<Dependencies, 'recordFailure' | 'keysInUse'>): DataLayer {
  const { database } = settings;
  const shared: Dependencies = {
    ...settings,
    keysInUse: new Map(),
    recordFailure: (failure) => recordFailure(database, failure),
  };
  const dependenciesFor = (client: Client): Dependencies => {
    const own = database.forRequest(client);
    // On SQLite, requests have no limits, and share one object.
    return own === database ? shared : { ...shared, database: own };
  };
  return {
    authenticate: (bearerToken) => authenticate(shared, bearerToken),
    forRequest: (client, principal) => new OwnOperations(dependenciesFor(client), { principal, client }),
    withoutToken: (client) => new BoundWithoutToken(dependenciesFor(client), client),
  };
}
