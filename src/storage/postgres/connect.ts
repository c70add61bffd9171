import { setTimeout as delay } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { unavailable } from '../../model/api-error.ts';
import { PoolTimeout } from './errors.ts';
import { HostError } from './hosts.ts';

// The minimum time between two attempts while no host is suitable.
const RETRY_INTERVAL_MS = 100;

/**
 * Returns a function that takes a connection from a pool, and tries the hosts one after the other if it has to be opened.
 *
 * After all have failed, one request at a time tries again, and the others wait for its result: opening a connection for
 * each request would keep the processors of a standby from its promotion.
 *
 * @param attempts the number of connections to try
 * @param timeoutMs the time after which no further one is tried, in milliseconds
 * @returns a function that throws UNAVAILABLE if no connection can be opened, or none is available in time
 */
export function connector(pool: Pool, attempts: number, timeoutMs: number): () => Promise<PoolClient> {
  /** The time of the last failure of all hosts; undefined after a success. */
  let failureTime: number | undefined;
  let retry: Promise<PoolClient> | undefined;

  async function tryHosts(): Promise<PoolClient> {
    const deadline = performance.now() + timeoutMs;
    const failures: HostError[] = [];
    for (;;) {
      try {
        const client = await pool.connect();
        failureTime = undefined;
        return client;
      } catch (error) {
        const failure = hostErrorOf(error);
        // All connections are in use, or the pool has been closed.
        if (failure === undefined) throw unavailable(error, 'overload');
        failures.push(failure);
        if (failures.length >= attempts || performance.now() >= deadline) {
          failureTime = performance.now();
          throw unavailable(summaryOf(failures));
        }
      }
    }
  }

  async function retryHosts(lastTime: number): Promise<PoolClient> {
    await delay(Math.max(lastTime + RETRY_INTERVAL_MS - performance.now(), 0));
    return tryHosts();
  }

  return async () => {
    if (failureTime === undefined || pool.idleCount > 0) return tryHosts();
    if (retry === undefined) {
      retry = retryHosts(failureTime).finally(() => {
        retry = undefined;
      });
      return retry;
    }
    await retry;
    return tryHosts();
  };
}

/** Returns whether all connections were in use for too long. The driver's errors have no code. */
export function isPoolTimeout({ cause }: Error): boolean {
  return (
    cause instanceof PoolTimeout ||
    (cause instanceof Error && cause.message === 'timeout exceeded when trying to connect')
  );
}

/** Returns whether a connection was not available, or could not be opened, in time. */
export function isConnectTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    isPoolTimeout(error) || (error.cause instanceof Error && /timeout expired/.test(error.cause.message))
  );
}

/** Returns the error of a host, which the pool wraps if the connection takes too long. */
function hostErrorOf(error: unknown): HostError | undefined {
  if (error instanceof HostError) return error;
  return error instanceof Error && error.cause instanceof HostError ? error.cause : undefined;
}

/** Returns the error of a single host, or one with the messages of all hosts. */
function summaryOf(failures: readonly HostError[]): unknown {
  const [first] = failures;
  if (failures.length === 1) return first?.cause;
  const messages = failures.map(({ message }) => message);
  return new AggregateError(failures, [...new Set(messages)].join('; '));
}
