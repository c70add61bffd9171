import { Client, type ClientConfig, Pool, type PoolConfig, type QueryResultRow, types } from 'pg';
import { distributionFinder, OutdatedNodeError } from './citus-node.ts';
import type { PostgresTarget } from './url.ts';

/** Thrown if a connection to a host can't be opened, or if its session can't write and has to. */
export class HostError extends Error {}

/**
 * Returns an expression that removes the time limit of a role or a database for whole transactions, which PostgreSQL has
 * since version 17. A command, and the creation of an index, take as long as they need, and requests have other limits.
 */
export function withoutTransactionTimeout(scope: 'transaction' | 'session'): string {
  return `CASE WHEN current_setting('transaction_timeout', TRUE) IS NOT NULL
    THEN set_config('transaction_timeout', '0', ${scope === 'transaction'}) END`;
}

// Behind a pooler, settings of the session would stay for other clients.
const findState = (
  hasPooler: boolean,
) => `SELECT current_setting('transaction_read_only') = 'off' AS "isWritable",
  EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS "hasCitus",
  ${withoutTransactionTimeout(hasPooler ? 'transaction' : 'session')} AS timeout`;

/** A limit that is none in practice. The driver does not send the 0 of PostgreSQL. */
export const DAY_MS = 86_400_000;

type State = { readonly isWritable: boolean; readonly hasCitus: boolean };

// The connections of a long-running process move to servers that were added or have returned.
const LIFETIME_SECONDS = 1800;

/** The settings of a pool whose connections are closed after one use. Each of them asks whether its node is outdated. */
export const SINGLE_USE = { max: 1, maxUses: 1 };

const POOLER_HINT = 'Behind a pooler, the URL needs pgbouncer=true or pgbouncer=prepared';

/**
 * Returns a function that opens a connection pool. The pools use the same host until a connection to it fails, and then
 * the next one. All hosts are tried within the timeout.
 */
export function poolOpener(
  target: PostgresTarget,
  { timeoutMs, lockTimeoutMs }: { readonly timeoutMs: number; readonly lockTimeoutMs?: number | undefined },
): (settings: PoolConfig) => Pool {
  const { options, hasPooler } = target;
  const common: PoolConfig = {
    application_name: 'paw-gateway',
    ...(hasPooler
      ? { options }
      : {
          // If a cancellation does not reach the server.
          statement_timeout: timeoutMs,
          lock_timeout: lockTimeoutMs,
          // Commands may be idle for longer, regardless of the role.
          idle_in_transaction_session_timeout: lockTimeoutMs ? timeoutMs : DAY_MS,
          // A policy fails a statement instead of hiding rows from it.
          options: `${lostClientOptions(timeoutMs)} -c row_security=off ${options}`,
        }),
    keepAlive: true,
    // A server that no longer responds does not keep the process from ending.
    allowExitOnIdle: true,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    pipeline: true,
    // Counts and times are safe integers.
    types: {
      getTypeParser: (oid: number) => (oid === types.builtins.INT8 ? Number : types.getTypeParser(oid)),
    },
    Client: hostClient(target, timeoutMs),
  };
  return (settings) => new Pool({ ...common, ...settings });
}

/** Returns the class of connections to one of the hosts. */
function hostClient({ hosts, hasPooler, isReadWrite, connectTimeoutMs }: PostgresTarget, timeoutMs: number) {
  const order = [...hosts];
  // A host that drops packets must leave time for the others.
  const hostTimeoutMs = Math.min(connectTimeoutMs ?? timeoutMs, timeoutMs / hosts.length);
  const isDistributed = distributionFinder(hostTimeoutMs / 4);
  // The number of times that a connection found its node outdated.
  let outdatedCount = 0;

  /** A connection to the first host of the order. */
  return class HostClient extends Client {
    /** Whether the tables are distributed by Citus. */
    isCitus = false;
    readonly #url: string | undefined;
    readonly #outdatedCount = outdatedCount;
    readonly #isSingleUse: boolean;

    constructor(settings?: ClientConfig & PoolConfig) {
      const [url] = order;
      super({ ...settings, connectionString: url, connectionTimeoutMillis: hostTimeoutMs });
      this.#url = url;
      this.#isSingleUse = settings?.maxUses === SINGLE_USE.maxUses;
      // A broken connection rejects its statements, and emits an error, which without a listener ends the process.
      this.on('error', () => {});
    }

    /** Whether a node was found outdated since, which can be this connection's node. */
    get isOutdated(): boolean {
      return this.#outdatedCount !== outdatedCount;
    }

    override connect(): Promise<Client>;
    override connect(callback: (error?: Error) => void): void;
    override connect(callback: (error?: Error) => void = () => {}): Promise<Client> {
      const opened = this.#open();
      opened.then(() => callback(), callback);
      return opened;
    }

    async #open(): Promise<Client> {
      try {
        await super.connect();
        const [state] = await this.#find<State>(findState(hasPooler));
        if (isReadWrite && state?.isWritable !== true) throw new Error('The session is not read-write.');
        if (state?.hasCitus === true) this.isCitus = await isDistributed(this.#find, this.#isSingleUse);
        return this;
      } catch (error) {
        void this.end();
        if (error instanceof OutdatedNodeError) outdatedCount += 1;
        // Another connection may have failed before.
        if (order[0] === this.#url) order.push(...order.splice(0, 1));
        throw hostError(this, error);
      }
    }

    readonly #find = async <R extends QueryResultRow>(text: string): Promise<readonly R[]> => {
      const { rows } = await this.query<R>({ text, ...{ query_timeout: hostTimeoutMs } });
      return rows;
    };
  };
}

/** Whether the tables that a connection of such a pool sees are distributed by Citus. */
export function isCitusClient(client: object): boolean {
  return 'isCitus' in client && client.isCitus === true;
}

/** Whether a connection of such a pool must not be used any more. */
export function isOutdatedClient(client: object): boolean {
  return 'isOutdated' in client && client.isOutdated === true;
}

/** Options that make the server end a session within a time after its client's machine was lost. */
function lostClientOptions(timeoutMs: number): string {
  const probeSeconds = Math.max(1, Math.floor(timeoutMs / 5000));
  return `-c tcp_user_timeout=${timeoutMs} -c tcp_keepalives_idle=${probeSeconds} -c tcp_keepalives_interval=${probeSeconds}`;
}

function hostError({ host, port }: Client, error: unknown): HostError {
  const message = error instanceof Error ? error.message : String(error);
  const isPooler = message.startsWith('unsupported startup parameter');
  const cause = isPooler ? new Error(`${message}. ${POOLER_HINT}`, { cause: error }) : error;
  return new HostError(`${host}:${port}: ${message}`, { cause });
}
