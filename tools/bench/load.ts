import { Client } from 'undici';
import type { Contender, HeapBytes } from './contender.ts';
import { percentile } from './report.ts';

/** A request of a workload. */
export type Request = {
  readonly method: 'GET' | 'PATCH' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
};

/** Names the workload of a request, for the server that repeats recorded responses. */
export const ROW_HEADER = 'bench-row';

/** The result of a run. */
export type Run = {
  /** Responses per second. */
  readonly rate: number;
  /** Processor time per response, in microseconds. */
  readonly cpuMicros: number;
  /** The latency, in milliseconds. */
  readonly p99: number;
  readonly responses: number;
  /** The bytes in the garbage collections of the run. */
  readonly heap: HeapBytes;
  /** The number of new audit events per response, where they are counted. */
  readonly events?: number;
};

/** The limit of a load, in seconds or requests. */
export type Limit = { readonly seconds?: number; readonly requests?: number };

const CONNECTIONS = 32;

// Of a GraphQL response.
const ERRORS = Buffer.from('"errors":');

/**
 * Sends requests on 32 connections, each of which sends its next request after each response.
 *
 * @param next makes the next request
 * @throws if a response is not 200, or has errors
 */
export async function load(
  { name, url, cpuSeconds, heap }: Contender,
  next: () => Request,
  { seconds = Number.POSITIVE_INFINITY, requests: most = Number.POSITIVE_INFINITY }: Limit,
): Promise<Run> {
  const clients = Array.from({ length: CONNECTIONS }, () => new Client(url));
  const latencies: number[] = [];
  const [cpu, before, start] = [cpuSeconds(), heap(), performance.now()];
  const end = start + seconds * 1000;
  let sent = 0;

  const sendAll = (client: Client) =>
    new Promise<void>((resolve, reject) => {
      function send(): void {
        const sentAt = performance.now();
        if (sent >= most || sentAt > end) {
          resolve();
          return;
        }
        sent += 1;
        client.dispatch(next(), {
          onRequestStart() {},
          onResponseStart(_controller, status) {
            if (status !== 200) reject(new Error(`${name} answered ${status}.`));
          },
          onResponseData(_controller, chunk) {
            if (chunk.includes(ERRORS)) reject(new Error(`${name} answered ${chunk}`));
          },
          onResponseEnd() {
            latencies.push(performance.now() - sentAt);
            send();
          },
          onResponseError: (_controller, error) => reject(error),
        });
      }
      send();
    });
  await Promise.all(clients.map(sendAll));

  const elapsed = (performance.now() - start) / 1000;
  const cpuMicros = ((cpuSeconds() - cpu) / latencies.length) * 1e6;
  await Promise.all(clients.map((client) => client.close()));
  return {
    rate: latencies.length / elapsed,
    cpuMicros,
    p99: percentile(latencies, 0.99),
    responses: latencies.length,
    heap: heapSince(before, heap()),
  };
}

function heapSince(before: HeapBytes, now: HeapBytes): HeapBytes {
  return {
    allocated: now.allocated - before.allocated,
    survived: now.survived - before.survived,
    promoted: now.promoted - before.promoted,
  };
}

/** Sends one request, and returns the body of the response. */
export async function ask({ url }: Contender, { method, path, headers, body }: Request): Promise<unknown> {
  return (await fetch(url + path, { method, headers, body })).json();
}
