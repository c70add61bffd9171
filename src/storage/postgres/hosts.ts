import { Client, type ClientConfig, Pool, type PoolConfig } from 'pg';
import type { PostgresHost, PostgresTarget, SessionAttributes } from './url.ts';

/** Thrown if a connection to a host can't be opened, or if its session does not have the required attributes. */
export class HostError extends Error {}

/** Selects the host of a new connection. */
type HostSelection = {
  /** Returns the host for the next connection. */
  next(): PostgresHost;
  /** Notes that a connection to a host has failed, or that its session does not have the required attributes. */
  failed(host: PostgresHost): void;
  /** Returns whether connections to all other hosts have failed recently. */
  isLast(host: PostgresHost): boolean;
};

// The time for which a failed host is avoided if the connections are balanced.
const AVOIDANCE_MS = 10_000;

// Servers without encryption are asked again after this time.
const PLAIN_MS = 60_000;

// Each returns whether the session has the attributes. Source: libpq, `target_session_attrs`.
const CHECKS: Readonly<Record<Exclude<SessionAttributes, 'any'>, string>> = {
  'read-write': "SELECT current_setting('transaction_read_only') = 'off' AS fits",
  'read-only': "SELECT current_setting('transaction_read_only') = 'on' AS fits",
  primary: 'SELECT NOT pg_is_in_recovery() AS fits',
  standby: 'SELECT pg_is_in_recovery() AS fits',
  'prefer-standby': 'SELECT pg_is_in_recovery() AS fits',
};

// The time in which a server has to close a connection that is no longer used.
const END_TIMEOUT_MS = 1000;

const WITHOUT_ENCRYPTION = 'The server does not support SSL connections';

/**
 * Returns the number of connections to try, one after the other, before a failure is reported: each host is tried once.
 */
export function attemptsOf({ hosts, sessionAttributes, prefersEncryption }: PostgresTarget): number {
  return hosts.length * (prefersEncryption ? 2 : 1) + (sessionAttributes === 'prefer-standby' ? 1 : 0);
}

/**
 * Returns a function that opens a connection pool. Each new connection of the pools is made to one host. If it fails,
 * the next one is made to another host.
 *
 * @param timeoutMs the time in which all hosts are tried, in milliseconds
 */
export function poolOpener(
  target: PostgresTarget,
  timeoutMs: number,
): (settings: PoolConfig, max: number) => Pool {
  const { hosts, sessionAttributes, prefersEncryption } = target;
  const selection = hostSelection(target, () => performance.now());
  // A host that drops packets must leave time for the others.
  const hostTimeoutMs = Math.min(target.connectTimeoutMs ?? timeoutMs, timeoutMs / hosts.length);
  const plainUntil = new Map<PostgresHost, number>();

  /** A connection to one of the hosts. */
  class HostClient extends Client {
    readonly #host: PostgresHost;

    constructor(settings?: ClientConfig) {
      const host = selection.next();
      const isPlain = (plainUntil.get(host) ?? 0) > performance.now();
      const connectionString = isPlain ? withoutEncryption(host.url) : host.url;
      super({ ...settings, connectionString, connectionTimeoutMillis: hostTimeoutMs });
      this.#host = host;
      // A broken connection rejects its running statements and also emits an error event, which would end the process
      // if it had no listener.
      this.on('error', () => {});
    }

    override connect(): Promise<Client>;
    override connect(callback: (error?: Error) => void): void;
    override connect(callback?: (error?: Error) => void): Promise<Client> | undefined {
      const opened = this.#open();
      if (callback === undefined) return opened;
      opened.then(() => callback(), callback);
      return undefined;
    }

    override end(): Promise<void>;
    override end(callback: (error: Error) => void): void;
    override end(callback?: (error: Error) => void): Promise<void> | undefined {
      // A server that does not respond would never close the connection, which would keep the process from ending.
      setTimeout(() => this.connection.stream.destroy(), END_TIMEOUT_MS).unref();
      if (callback === undefined) return super.end();
      super.end(callback);
      return undefined;
    }

    async #open(): Promise<Client> {
      try {
        await super.connect();
        await this.#checkSession();
        return this;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (prefersEncryption && message === WITHOUT_ENCRYPTION) {
          plainUntil.set(this.#host, performance.now() + PLAIN_MS);
        } else selection.failed(this.#host);
        throw new HostError(`${this.#host.name}: ${message}`, { cause: error });
      }
    }

    async #checkSession(): Promise<void> {
      if (sessionAttributes === 'any') return;
      try {
        const text = CHECKS[sessionAttributes];
        const { rows } = await this.query<{ fits: boolean }>({ text, ...{ query_timeout: hostTimeoutMs } });
        if (rows[0]?.fits === true) return;
        if (sessionAttributes === 'prefer-standby' && selection.isLast(this.#host)) return;
        throw new Error(`The session is not ${sessionAttributes}.`);
      } catch (error) {
        void this.end();
        throw error;
      }
    }
  }

  return (settings, max) => new Pool({ ...settings, max, Client: HostClient });
}

/**
 * Returns the selection of hosts. The next one is the one whose last failure is the oldest, so that the connections stay
 * with a host until it fails. If they are balanced, it is a random one of those without a recent failure.
 *
 * @param clock returns a time in milliseconds
 * @param random returns a number from 0 to 1, 1 excluded
 */
export function hostSelection(
  { hosts, isBalanced }: Pick<PostgresTarget, 'hosts' | 'isBalanced'>,
  clock: () => number,
  random: () => number = Math.random,
): HostSelection {
  const failures = new Map<PostgresHost, number>();
  const failedRecently = (host: PostgresHost) => (failures.get(host) ?? -Infinity) > clock() - AVOIDANCE_MS;
  const oldestFailure = () =>
    hosts.reduce((best, host) =>
      (failures.get(host) ?? -Infinity) < (failures.get(best) ?? -Infinity) ? host : best,
    );
  return {
    next() {
      const candidates = isBalanced ? hosts.filter((host) => !failedRecently(host)) : [];
      return candidates[Math.floor(random() * candidates.length)] ?? oldestFailure();
    },
    failed(host) {
      failures.set(host, clock());
    },
    isLast: (host) => hosts.every((each) => each === host || failedRecently(each)),
  };
}

function withoutEncryption(url: string): string {
  const plain = new URL(url);
  plain.searchParams.set('sslmode', 'disable');
  return plain.href;
}
