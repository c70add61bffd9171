import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { type Config, ConfigError, localUrl } from './config.ts';
import { passwordHasher } from './credentials/password-hasher.ts';
import { createDataLayer } from './data/create-data-layer.ts';
import { graphqlErrorBody } from './graphql/errors.ts';
import { addGraphqlApi, GRAPHQL_PATH } from './graphql/routes.ts';
import { createHttpApp } from './http/app.ts';
import { bearerAuthenticator } from './http/authorization.ts';
import { addCors } from './http/cors.ts';
import { addCoverImages } from './http/cover-images.ts';
import { addErrorHandling } from './http/errors.ts';
import { addHealthChecks } from './http/health.ts';
import { pageTokens } from './model/page-token.ts';
import { idGenerator } from './model/resource-name.ts';
import { addAssets, hasAssets } from './pages/assets.ts';
import { addDocsPage } from './pages/docs-page.ts';
import { addGraphiqlPage } from './pages/graphiql-page.ts';
import { addStartPage } from './pages/start-page.ts';
import { restErrorBody } from './rest/error-body.ts';
import { addOpenApi } from './rest/openapi.ts';
import { addRestApi } from './rest/routes.ts';
import type { Database } from './storage/database.ts';
import { sweepExpired } from './storage/keyv-adapter.ts';
import { migrate } from './storage/migrate.ts';
import { openDatabase } from './storage/open-database.ts';
import { loadPageTokenKey } from './storage/page-token-key.ts';
import { tokenStore } from './storage/tokens.ts';
import { VERSION } from './version.ts';

/** What there is to know of a server that listens. */
export type Listening = {
  /** Where it listens, without a slash at its end. */
  readonly url: string;
  /** Where clients reach it, which is the same unless it was configured. */
  readonly publicUrl: string;
  /** Whether it serves GraphiQL and the REST docs. */
  readonly explorers: boolean;
};

/** A server that listens. */
export type Server = Listening & {
  /** Answers what has been asked, then ends. */
  stop(): Promise<void>;
};

const SWEEP_INTERVAL_MS = 60_000;

// After this a client that does not finish its request is cut off.
const STOP_DEADLINE_MS = 10_000;

/**
 * Wires all parts into a listening server.
 *
 * @param clock tells the time, in Unix milliseconds
 */
export async function startServer(
  config: Config,
  logger: FastifyBaseLogger,
  clock: () => number = Date.now,
): Promise<Server> {
  const explorers = hasExplorers(config.explorers);
  const { databaseUrl, postgres, createDatabase: create } = config;
  const database = await openDatabase(databaseUrl, { postgres, create });
  try {
    const { applied } = await migrate(database, clock());
    for (const migration of applied) logger.info({ migration }, 'applied a migration');
    return await listen(config, logger, clock, database, explorers);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function listen(
  config: Config,
  logger: FastifyBaseLogger,
  clock: () => number,
  database: Database,
  explorers: boolean,
): Promise<Server> {
  let publicUrl = config.publicUrl ?? '';
  let stopping = false;
  const data = createDataLayer({
    database,
    tokens: tokenStore(database, clock),
    passwords: passwordHasher(config.passwordQueue),
    pageTokens: pageTokens(await loadPageTokenKey(database)),
    clock,
    newId: idGenerator(clock),
    tokenTtlSeconds: config.tokenTtlSeconds,
    publicUrl: () => publicUrl,
  });

  const authenticate = bearerAuthenticator(data);
  const app = createHttpApp(logger, {
    errorBody: restErrorBody,
    isStopping: () => stopping,
  });
  addErrorHandling(app, logger, (path) => (path === GRAPHQL_PATH ? graphqlErrorBody : restErrorBody));
  await addCors(app, config.corsOrigins);
  addStartPage(app, { version: VERSION, publicUrl: () => publicUrl, sandbox: config.sandbox });
  if (explorers) {
    addGraphiqlPage(app);
    addDocsPage(app);
    addAssets(app);
  }
  addHealthChecks(app, data, () => stopping);
  addCoverImages(app);
  addRestApi(app, data, authenticate);
  addOpenApi(app, VERSION, () => publicUrl);
  await addGraphqlApi(app, data, authenticate, logger, config.sandbox);

  await app.listen({ host: config.host, port: config.port });
  const { port } = app.server.address() as AddressInfo;
  const url = localUrl(config.host, port);
  publicUrl ||= url;
  const stopSweeping = keepSweeping(database, clock, logger);

  return {
    url,
    publicUrl,
    explorers,
    async stop() {
      stopping = true;
      logger.info('stopping');
      await delay(config.stopDelaySeconds * 1000);
      const deadline = setTimeout(() => app.server.closeAllConnections(), STOP_DEADLINE_MS);
      await app.close();
      clearTimeout(deadline);
      await stopSweeping();
      await database.close();
    },
  };
}

/** Whether to serve the explorers. By default they are served if their assets have been built. */
function hasExplorers(setting: boolean | undefined): boolean {
  if (setting === true && !hasAssets()) {
    throw new ConfigError('PAW_EXPLORERS=on needs the browser assets. Run "npm run build".');
  }
  return setting ?? hasAssets();
}

/** Deletes expired tokens now and then. Returns a function that ends it. */
function keepSweeping(
  database: Database,
  clock: () => number,
  logger: FastifyBaseLogger,
): () => Promise<void> {
  let sweep = Promise.resolve();
  const start = () => {
    sweep = sweepExpired(database, clock()).then(
      (count) => {
        if (count > 0) logger.debug({ count }, 'swept expired tokens');
      },
      (error) => logger.warn(error, 'could not sweep expired tokens'),
    );
  };
  start();
  const timer = setInterval(start, SWEEP_INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await sweep;
  };
}
