import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { type Config, localUrl, PAW_COMMAND, VERSION } from './config.ts';
import { PasswordHasher } from './credentials/password-hasher.ts';
import { createDataLayer, type DataLayer } from './data/data-layer.ts';
import { graphqlErrorBody } from './graphql/graphql-errors.ts';
import { addGraphqlApi, GRAPHQL_PATH } from './graphql/route.ts';
import { type ResolveDocument, readTrustedDocuments } from './graphql/rules/trusted-documents.ts';
import { errorBody } from './http/errors/error-body.ts';
import { addOverloadProtection } from './http/limits/overload.ts';
import { addRateLimits } from './http/limits/rate-limit.ts';
import { addRequestMemory } from './http/limits/request-memory.ts';
import { BusiestAccount } from './http/log/busiest-account.ts';
import { DatabaseMonitor } from './http/log/database-monitor.ts';
import { errorLog } from './http/log/error-log.ts';
import { addRequestLog } from './http/log/request-log.ts';
import { bearerAuthenticator } from './http/request/authorization.ts';
import { addRequestNotes } from './http/request/request-notes.ts';
import { addCors } from './http/server/cors.ts';
import { addCoverImages } from './http/server/cover-images.ts';
import { addErrorHandling, type FormatErrorBody } from './http/server/error-handling.ts';
import { limitConnections } from './http/server/file-descriptors.ts';
import { addHealthChecks } from './http/server/health.ts';
import { createHttpApp } from './http/server/http-app.ts';
import type { Metrics } from './metrics/metrics.ts';
import { migrateAtStart } from './migrate-at-start.ts';
import { idGenerator } from './model/resource-name.ts';
import { oauthErrorBody } from './oauth/error-format.ts';
import { ProtectedResources } from './oauth/protected-resources.ts';
import { addOauthApi, OAUTH_PATH } from './oauth/routes.ts';
import { addAssets, hasAssets, shouldServe } from './pages/assets.ts';
import { addConsolePage } from './pages/console-page.ts';
import { addDocumentation } from './pages/documentation.ts';
import { addGraphiqlPage, addReferencePage } from './pages/explorer-pages.ts';
import { sendSandboxPage } from './pages/sandbox-page.ts';
import { addStartPage } from './pages/start-page.ts';
import { addWellKnownFiles } from './pages/well-known-files.ts';
import { addOpenApi } from './rest/openapi.ts';
import { addRestApi } from './rest/routes.ts';
import { BackgroundWrites } from './storage/background-writes.ts';
import type { Database } from './storage/interface/database.ts';
import type { Engine } from './storage/interface/engine.ts';
import { Sweeper } from './storage/jobs/sweep.ts';
import { openDatabase } from './storage/open-database.ts';
import { LOCK_TIMEOUT_MS } from './storage/postgres/connections/connection-turns.ts';
import { findFirstAccount } from './storage/tables/accounts.ts';
import { findFewestAddresses } from './storage/tables/addresses.ts';
import { countEndingTokens, countTokens } from './storage/tables/tokens.ts';

// The number of connections that can be opened at the same time. The limit of the system, such as net.core.somaxconn,
// applies, too.
const BACKLOG = 4096;

export type ServerInfo = {
  readonly url: string;
  readonly port: number;
  /** The URL for clients, without a trailing slash. Equal to `url` unless configured. */
  readonly publicUrl: string;
  readonly console: boolean;
  /** Whether the server serves GraphiQL and the REST reference. */
  readonly explorers: boolean;
};

export type Server = ServerInfo & {
  /** Resolves when the server can't continue, and has to be stopped. */
  readonly failed: Promise<Error>;
  /**
   * Completes the received requests, then stops the server.
   *
   * @param delaySeconds the time between the failure of `/readyz` and the end of listening; by default
   *   the configured one
   */
  stop(delaySeconds?: number): Promise<void>;
};

/** Where `paw-gateway/testing` makes faults. */
export type FaultPoints = {
  wrapDatabase(database: Database): Database;
  addHooks(app: FastifyInstance, data: DataLayer): void;
};

export type StartOptions = {
  readonly clock?: () => number;
  /** Ends the migration of the database, which the next start continues. */
  readonly signal?: AbortSignal;
  readonly faults?: FaultPoints;
};

/**
 * Opens and migrates the database, and starts the server.
 *
 * @throws ConfigError as `readFiles` does
 * @throws Error if the database can't be used
 * @throws UNAVAILABLE if the database is unavailable
 * @throws the reason of the signal, during a migration
 */
export async function startServer(
  config: Config,
  logger: FastifyBaseLogger,
  { clock = Date.now, signal, faults }: StartOptions = {},
): Promise<Server> {
  const { pages, resolveDocument } = readFiles(config, logger);
  // Imported on demand: a start without metrics is faster.
  const metrics = config.metricsPort
    ? new (await import('./metrics/metrics.ts')).Metrics(VERSION, config.checkIntervalMs)
    : undefined;
  await migrateAtStart(config, logger, { now: clock(), signal });
  const failed = Promise.withResolvers<Error>();
  const state: State = { publicUrl: config.publicUrl ?? '', isStopping: false, stopDelayMs: 0 };
  // Open resources are closed in reverse order: by `stop`, or here if the start fails.
  await using opening = new AsyncDisposableStack();
  const engine = await openDatabase(config.databaseUrl, {
    postgres: { ...config.postgres, timeoutMs: config.requestTimeoutMs, lockTimeoutMs: LOCK_TIMEOUT_MS },
    onFailure: failed.resolve,
    ...metrics?.database,
  });
  opening.defer(() => engine.close());
  const parts = { config, logger, clock, engine, faults, metrics, pages, resolveDocument, state, opening };
  const info = await listen(parts);
  // Without an answer, such as during an outage, there is nothing to say.
  if ((await findFirstAccount(engine).catch(() => null)) === undefined) {
    logger.info(`the database has no account: run "${PAW_COMMAND} init --title <text>"`);
  }
  const open = opening.move();
  return {
    ...info,
    failed: failed.promise,
    async stop(delaySeconds = config.stopDelaySeconds) {
      state.isStopping = true;
      state.stopDelayMs = delaySeconds * 1000;
      logger.info('stopping');
      await open.disposeAsync();
      logger.info('stopped');
    },
  };
}

/**
 * Reads the files that settings name or need, before there is a database.
 *
 * @throws ConfigError if the console or the explorers are enabled but not built, or if the manifest of trusted documents can't be used
 */
export function readFiles(config: Config, logger: Pick<FastifyBaseLogger, 'info'>) {
  const pages = {
    console: shouldServe('PAW_CONSOLE', config.console),
    explorers: shouldServe('PAW_EXPLORERS', config.explorers),
  };
  const resolveDocument = config.trustedDocuments && readTrustedDocuments(config.trustedDocuments, logger);
  return { pages, resolveDocument };
}

type Parts = {
  readonly config: Config;
  readonly logger: FastifyBaseLogger;
  readonly clock: () => number;
  readonly engine: Engine;
  readonly faults: FaultPoints | undefined;
  readonly metrics: Metrics | undefined;
  readonly pages: Pick<ServerInfo, 'console' | 'explorers'>;
  readonly resolveDocument: ResolveDocument | undefined;
  readonly state: State;
  readonly opening: AsyncDisposableStack;
};

/** The state of a server that changes while it runs. */
type State = { publicUrl: string; isStopping: boolean; stopDelayMs: number };

function createData({ config, logger, clock, engine, faults, metrics, state, opening }: Parts) {
  metrics?.addTokens(() => countTokens(engine, clock()));
  metrics?.addEndingTokens(() => countEndingTokens(engine, clock()));
  metrics?.addAddresses(() => findFewestAddresses(engine));
  metrics?.addNodes(() => engine.nodes());
  const backgroundWrites = new BackgroundWrites(engine, (error) =>
    logger.debug(error, 'could not store a last use'),
  );
  opening.defer(() => backgroundWrites.close());
  return createDataLayer({
    database: faults?.wrapDatabase(engine) ?? engine,
    synced: () => engine.synced(),
    backgroundWrites,
    passwords: new PasswordHasher(),
    clock,
    newId: idGenerator(clock),
    requestTimeoutMs: config.requestTimeoutMs,
    tokenTtlSeconds: config.tokenTtlSeconds,
    maxTokensPerApp: config.maxTokensPerApp,
    onSignIn: (outcome) => metrics?.signIns.inc({ outcome }),
    publicUrl: () => state.publicUrl,
  });
}

/** Creates the HTTP server. The order of the calls is that in which a request passes the hooks. */
async function createApp(parts: Parts): Promise<FastifyInstance> {
  const { config, logger, engine, metrics, pages, resolveDocument, state, opening } = parts;
  const { sandbox, introspection, federation, trustedProxies } = config;
  const publicUrl = () => state.publicUrl;
  const data = createData(parts);
  const { app, stop } = createHttpApp(logger, { trustedProxies });
  opening.defer(() => stop(state.stopDelayMs));
  limitConnections(app.server, logger);
  addRequestNotes(app);
  addRequestLog(app, logger, config.logRequests);
  metrics?.addRequests(app);
  const logError = errorLog(logger);
  addErrorHandling(app, logError, errorBodyFor);
  const resources = new ProtectedResources(app, publicUrl);
  const authenticate = bearerAuthenticator(data);
  await addCors(app, config.corsOrigins);
  addRequestMemory(app);
  addOverloadProtection(app, config.maxRequests);
  const { limitIntrospection, countRequest, accounts } = addRateLimits(app, authenticate, config.rateLimits);
  const busiest = new BusiestAccount(logger, () => accounts.takeAll());
  opening.defer(() => busiest.close());
  metrics?.addBusiestAccount(busiest);
  parts.faults?.addHooks(app, data);
  addWellKnownFiles(app, config);
  addStartPage(app, { version: VERSION, publicUrl, sandbox });
  if (pages.console) addConsolePage(app, PAW_COMMAND);
  if (pages.explorers) {
    addGraphiqlPage(app);
    addReferencePage(app);
  }
  if (hasAssets()) addAssets(app, pages);
  addDocumentation(app, publicUrl);
  addHealthChecks(app, engine, () => state.isStopping);
  addCoverImages(app);
  addRestApi(app, data, authenticate);
  addOpenApi(app, VERSION, publicUrl);
  addOauthApi(app, data, countRequest, resources);
  const sendPage = sandbox ? sendSandboxPage : undefined;
  const settings = { sendPage, introspection, federation, resolveDocument };
  const limits = { limitIntrospection, countRequest };
  await addGraphqlApi(app, { ...settings, ...limits, data, authenticate, logger, logError });
  return app;
}

function errorBodyFor(path: string): FormatErrorBody {
  if (path.startsWith(OAUTH_PATH)) return oauthErrorBody;
  return path === GRAPHQL_PATH ? graphqlErrorBody : errorBody;
}

async function listen(parts: Parts): Promise<ServerInfo> {
  const { config, metrics, pages, state, opening } = parts;
  if (metrics !== undefined && config.metricsPort !== undefined) {
    const metricsServer = await metrics.listen(config.host, config.metricsPort);
    opening.defer(() => metricsServer.close());
  }
  startSweeper(parts);
  checkDatabase(parts);
  const app = await createApp(parts);
  // With `localhost`, Fastify would open a second server on `::1`, which would have none of the limits of this one.
  const host = config.host === 'localhost' ? '127.0.0.1' : config.host;
  // Fastify passes all options to Node, and has no type for `reusePort`.
  const options = { host, port: config.port, backlog: BACKLOG, reusePort: config.reusePort };
  await app.listen(options);
  const { port } = app.server.address() as AddressInfo;
  const url = localUrl(config.host, port);
  state.publicUrl ||= url;
  return { url, port, publicUrl: state.publicUrl, ...pages };
}

function startSweeper({ config, logger, clock, engine, metrics, opening }: Parts): void {
  const onDeleted = (table: string, count: number) => {
    metrics?.swept.inc({ table }, count);
    logger.debug({ table, count }, 'deleted expired rows');
  };
  const sweeper = new Sweeper(engine, clock, { auditDays: config.auditDays, onDeleted });
  sweeper.start(config.checkIntervalMs, (error) => logger.warn(error, 'could not delete expired rows'));
  opening.defer(() => sweeper.close());
}

function checkDatabase({ config, logger, clock, engine, metrics, opening }: Parts): void {
  if (engine.checkConnection === undefined) return;
  const checkConnection = engine.checkConnection.bind(undefined, clock);
  const check = new DatabaseMonitor(
    logger,
    checkConnection,
    config.checkIntervalMs,
    metrics?.addDatabaseCheck(),
  );
  opening.defer(() => check.close());
}
