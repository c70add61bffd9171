import type { Client, Principal } from '../model/caller.ts';
import { authenticate } from './access/authenticate.ts';
import { recordFailure } from './audit/failures.ts';
import { Call, type OperationDependencies } from './call/call.ts';

export { assertMayChange, type Call } from './call/call.ts';

/** The calls that the APIs pass to operations. On PostgreSQL, all statements of a request share a timeout. */
export type DataLayer = {
  authenticate(bearerToken: string): Promise<Principal>;
  /** Returns the first parameter of the operations of a request. */
  forRequest(client: Client, principal: Principal): Call;
  /** Returns the call for the operations of a request without a bearer token. */
  withoutToken(client: Client): Call<Client>;
};

/** Returns the data layer that stores all resources in the database of `settings`. */
export function createDataLayer(
  settings: Omit<OperationDependencies, 'recordFailure' | 'keysInUse'>,
): DataLayer {
  const { database, newId } = settings;
  const shared: OperationDependencies = {
    ...settings,
    keysInUse: new Map(),
    recordFailure: (failure) => recordFailure(database, newId, failure),
  };
  const dependenciesFor = (client: Client): OperationDependencies => {
    const own = database.forRequest(client);
    // On SQLite, requests have no limits, and share one object.
    return own === database ? shared : { ...shared, database: own };
  };
  return {
    authenticate: (bearerToken) => authenticate(shared, bearerToken),
    forRequest: (client, principal) => new Call(dependenciesFor(client), { principal, client }),
    withoutToken: (client) => new Call(dependenciesFor(client), client),
  };
}
