import { PasswordHasher } from '../../../src/credentials/password-hasher.ts';
import { createDataLayer, type DataLayer } from '../../../src/data/data-layer.ts';
import { GraphqlContext } from '../../../src/graphql/context.ts';
import type { Principal } from '../../../src/model/caller.ts';
import { idGenerator } from '../../../src/model/resource-name.ts';
import { BackgroundWrites } from '../../../src/storage/background-writes.ts';
import type { Engine } from '../../../src/storage/interface/engine.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';

/** Opens the data layer of the gateway, for use in another server. */
export async function openDataLayer(): Promise<DataLayer> {
  const { DATABASE_URL = '', PUBLIC_URL = '' } = process.env;
  return dataLayerOf(await openDatabase(DATABASE_URL), PUBLIC_URL);
}

/** Returns the data layer of the gateway on a database. */
export function dataLayerOf(database: Engine, publicUrl: string): DataLayer {
  const clock = Date.now;
  return createDataLayer({
    database,
    synced: () => database.synced(),
    backgroundWrites: new BackgroundWrites(database, () => {}),
    passwords: new PasswordHasher(),
    clock,
    newId: idGenerator(clock),
    requestTimeoutMs: 5000,
    tokenTtlSeconds: 86_400,
    maxTokensPerApp: 1000,
    publicUrl: () => publicUrl,
  });
}

/** Authenticates a request, and returns the context of its resolvers. */
export async function contextOf(data: DataLayer, authorization: string | undefined): Promise<GraphqlContext> {
  return contextFor(data, await data.authenticate((authorization ?? '').slice('Bearer '.length)));
}

/** Returns the context of the resolvers of a request. */
export function contextFor(data: DataLayer, principal: Principal): GraphqlContext {
  const client = {
    requestId: '',
    address: '127.0.0.1',
    startMs: performance.now(),
    signal: new AbortController().signal,
  };
  return new GraphqlContext(data.forRequest(client, principal), client, {
    readIdempotencyHeaders: () => undefined,
    countMutations: () => {},
    countIntrospection: () => {},
    reserve: () => undefined,
  });
}
