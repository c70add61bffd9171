import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { type Config, ConfigError, localUrl } from './config.ts';
import { PasswordHasher } from './credentials/password-hasher.ts';
import { createDataLayer } from './data/create-data-layer.ts';
import { graphqlErrorBody } from './graphql/errors.ts';
import { addGraphqlApi, GRAPHQL_PATH } from './graphql/routes.ts';
import { parseManifest, type ResolveDocument, trustedDocuments } from './graphql/trusted-documents.ts';
import { createHttpApp, type HttpApp } from './http/app.ts';
import { bearerAuthenticator } from './http/authorization.ts';
import { addCors } from './http/cors.ts';
import { addCoverImages } from './http/cover-images.ts';
import { errorBody } from './http/error-body.ts';
import { addErrorHandling, type FormatErrorBody } from './http/errors.ts';
import { addHealthChecks } from './http/health.ts';
import { errorLog } from './http/observation/error-log.ts';
import { addRequestLog } from './http/observation/request-log.ts';
import { addRequestRecords } from './http/observation/request-record.ts';
import { addOverloadProtection } from './http/protection/overload.ts';
import { addRateLimits } from './http/protection/rate-limit.ts';
import type { Metrics } from './metrics.ts';
import { pageTokens } from './model/page-token.ts';
import { idGenerator } from './model/resource-name.ts';
import { oauthErrorBody } from './oauth/error-body.ts';
import { addOauthApi, OAUTH_PATH } from './oauth/routes.ts';
import { addAssets, hasAssets } from './pages/assets.ts';
import { addConsolePage } from './pages/console-page.ts';
import { addDocumentation } from './pages/documentation.ts';
import { addFavicon } from './pages/favicon.ts';
import { addGraphiqlPage } from './pages/graphiql-page.ts';
import { sendNotFoundPage } from './pages/not-found-page.ts';
import { addReferencePage } from './pages/reference-page.ts';
import { addStartPage } from './pages/start-page.ts';
import { addOpenApi } from './rest/openapi.ts';
import { addRestApi } from './rest/routes.ts';
import type { Database } from './storage/database.ts';
import { migrate } from './storage/migrate.ts';
import { LATEST_VERSION } from './storage/migrations.ts';
import { openDatabase } from './storage/open-database.ts';
import { loadPageTokenKey } from './storage/page-token-key.ts';
import { LOCK_TIMEOUT_MS } from './storage/postgres/lock-limits.ts';
import { startSweeper } from './storage/sweep.ts';
import { tokenStore } from './storage/token-store.ts';
import { countTokens } from './storage/tokens.ts';
import { VERSION } from './version.ts';

// The number of connections that can be opened at once. The limit of the system, such as net.core.somaxconn, applies, too.
const BACKLOG = 4096;

/** The properties of a listening server. */
export type ServerInfo = {
  /** The URL at which the server listens, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** The URL for clients, without a trailing slash. Equal to `url` unless configured. */
  readonly publicUrl: string;
  /** Whether the server serves the console. */
  readonly console: boolean;
  /** Whether the server serves GraphiQL and the REST reference. */
  readonly explorers: boolean;
};

/** A listening server. */
export type Server = ServerInfo & {
  /** Resolves when the server can't continue, and has to be stopped. */
  readonly failed: Promise<Error>;
  /**
   * Completes the received requests, then stops the server.
   *
   * @param delaySeconds the time between the failure of `/readyz` and the end of listening; the default is
   *   that of the configuration
   */
  stop(delaySeconds?: number): Promise<void>;
};

/**
 * Opens and migrates the database, and starts the server.
 *
 * @param clock returns the current time, in Unix milliseconds
 * @param sharesPort whether other processes of the same user listen on the port as well
 * @throws ConfigError if the console or the explorers are enabled but not built, or if the manifest of trusted documents can't be used
 * @throws DatabaseUrlError, DatabaseMissingError, DatabaseVersionError if the database can't be used
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function startServer(
  config: Config,
  logger: FastifyBaseLogger,
  clock: () => number = Date.now,
  sharesPort = false,
): Promise<Server> {
  const pages = {
    console: shouldServe('PAW_CONSOLE', config.console),
    explorers: shouldServe('PAW_EXPLORERS', config.explorers),
  };
  const resolveDocument = readTrustedDocuments(config, logger);
  // Imported on demand: a start without metrics is faster.
  const metrics = config.metricsPort ? new (await import('./metrics.ts')).Metrics() : undefined;
  await migrateForServer(config, logger, clock());
  const failed = Promise.withResolvers<Error>();
  const database = await openDatabase(config.databaseUrl, {
    postgres: { ...config.postgres, timeoutMs: config.requestTimeoutMs, lockTimeoutMs: LOCK_TIMEOUT_MS },
    onFailure: failed.resolve,
    ...metrics?.database,
  });
  try {
    const parts = { config, logger, clock, database, metrics, pages, resolveDocument };
    return { ...(await listen(parts, sharesPort)), failed: failed.promise };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Migrates the database on a connection of its own, because the time limits of requests don't apply to a migration. */
async function migrateForServer(config: Config, logger: FastifyBaseLogger, now: number): Promise<void> {
  const { databaseUrl, postgres, createDatabase: create } = config;
  const database = await openDatabase(databaseUrl, { postgres, create });
  try {
    const { version, applied } = await migrate(database, now);
    for (const migration of applied) logger.info({ migration }, 'applied a migration');
    if (version > LATEST_VERSION) {
      logger.warn({ version, supported: LATEST_VERSION }, 'the database schema is newer, and compatible');
    }
  } finally {
    await database.close();
  }
}

/** The parts of a server. */
type Parts = {
  readonly config: Config;
  readonly logger: FastifyBaseLogger;
  readonly clock: () => number;
  readonly database: Database;
  readonly metrics: Metrics | undefined;
  readonly pages: Pick<ServerInfo, 'console' | 'explorers'>;
  readonly resolveDocument: ResolveDocument | undefined;
};

/** The state of a server that changes while it runs. */
type State = { publicUrl: string; isStopping: boolean };

async function createData({ config, logger, clock, database, metrics }: Parts, state: State) {
  metrics?.addTokens(() => countTokens(database, clock()));
  return createDataLayer({
    database,
    tokens: tokenStore(database, clock),
    passwords: new PasswordHasher(),
    pageTokens: pageTokens(await loadPageTokenKey(database)),
    clock,
    newId: idGenerator(clock),
    tokenTtlSeconds: config.tokenTtlSeconds,
    maxTokensPerApp: config.maxTokensPerApp,
    maxKeptBytes: config.maxKeptBytes,
    onSignIn: (outcome) => metrics?.signIns.inc({ outcome }),
    onIgnored: (error) => logger.debug(error, 'could not store a last use'),
    publicUrl: () => state.publicUrl,
  });
}

/** Creates the HTTP server. The order of the calls is that in which a request passes the hooks. */
async function createApp(parts: Parts, state: State): Promise<HttpApp> {
  const { config, logger, metrics, pages, resolveDocument } = parts;
  const { sandbox, introspection, federation, trustedProxies } = config;
  const publicUrl = () => state.publicUrl;
  const data = await createData(parts, state);
  const { app, stop } = createHttpApp(logger, { trustedProxies });
  addRequestRecords(app);
  addRequestLog(app, logger, config.logRequests);
  metrics?.addRequests(app);
  const logError = errorLog(logger);
  addErrorHandling(app, logError, errorBodyFor, sendNotFoundPage);
  const authenticate = bearerAuthenticator(app, data);
  await addCors(app, config.corsOrigins);
  addOverloadProtection(app, config.maxRequests);
  const limitIntrospection = await addRateLimits(app, authenticate, config.rateLimits);
  addFavicon(app);
  addStartPage(app, { version: VERSION, publicUrl, sandbox });
  if (pages.console) addConsolePage(app);
  if (pages.explorers) {
    addGraphiqlPage(app);
    addReferencePage(app);
  }
  if (pages.console || pages.explorers) addAssets(app, pages.explorers);
  addDocumentation(app, publicUrl);
  addHealthChecks(app, data, () => state.isStopping);
  addCoverImages(app);
  addRestApi(app, data, authenticate);
  addOpenApi(app, VERSION, publicUrl);
  addOauthApi(app, data, publicUrl);
  const options = { sandbox, introspection, federation, resolveDocument };
  await addGraphqlApi(app, { data, authenticate, limitIntrospection, logger, logError }, options);
  return { app, stop };
}

function errorBodyFor(path: string): FormatErrorBody {
  if (path.startsWith(OAUTH_PATH)) return oauthErrorBody;
  return path === GRAPHQL_PATH ? graphqlErrorBody : errorBody;
}

async function listen(parts: Parts, sharesPort: boolean): Promise<Omit<Server, 'failed'>> {
  const { config, logger, clock, database, metrics, pages } = parts;
  const state: State = { publicUrl: config.publicUrl ?? '', isStopping: false };
  const { app, stop } = await createApp(parts, state);
  const metricsServer = await metrics?.listen(config);
  app.addHook('onClose', async () => metricsServer?.close());
  // With `localhost`, Fastify would open a second server on `::1`, which would have none of the limits of this one.
  const host = config.host === 'localhost' ? '127.0.0.1' : config.host;
  // The types of Fastify have no `reusePort`, which it passes to Node.
  const address = { host, port: config.port, backlog: BACKLOG, reusePort: sharesPort };
  await app.listen(address);
  const { port } = app.server.address() as AddressInfo;
  const url = localUrl(config.host, port);
  state.publicUrl ||= url;
  const onDeleted = (table: string, count: number) => {
    metrics?.swept.inc({ table }, count);
    logger.debug({ table, count }, 'deleted expired rows');
  };
  const onError = (error: unknown) => logger.warn(error, 'could not delete expired rows');
  const stopSweeper = startSweeper(database, { auditDays: config.auditDays, clock, onDeleted }, onError);
  return {
    url,
    port,
    publicUrl: state.publicUrl,
    ...pages,
    async stop(delaySeconds = config.stopDelaySeconds) {
      state.isStopping = true;
      logger.info('stopping');
      await stop(delaySeconds * 1000);
      await stopSweeper();
      await database.close();
    },
  };
}

/** Returns whether to serve pages that need browser assets. The default is to serve them if these have been built. */
function shouldServe(name: string, setting: boolean | undefined): boolean {
  if (setting === true && !hasAssets()) {
    throw new ConfigError(`${name}=on needs the browser assets. Run "npm run build".`);
  }
  return setting ?? hasAssets();
}

/** Reads the manifest of the trusted documents. */
function readTrustedDocuments(config: Config, logger: FastifyBaseLogger): ResolveDocument | undefined {
  if (config.trustedDocuments === undefined) return undefined;
  const { file, mode } = config.trustedDocuments;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError(`PAW_TRUSTED_DOCUMENTS must be a readable file: ${file}.`);
  }
  const manifest = parseManifest(text);
  if (manifest === undefined) {
    throw new ConfigError(`PAW_TRUSTED_DOCUMENTS must be a manifest of Apollo or of Relay: ${file}.`);
  }
  logger.info({ documents: manifest.size, mode }, 'read the trusted documents');
  return trustedDocuments(manifest, mode, logger);
}
