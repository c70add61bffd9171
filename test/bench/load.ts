import { Client } from 'undici';
import type { Contender } from './contender.ts';
import { percentile } from './report.ts';

/** A request of a workload. The requests of a workload are sent in turn, repeatedly. */
export type Request = {
  readonly method: 'GET' | 'PATCH' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
};

/** The result of a run. */
export type Run = {
  /** Responses per second. */
  readonly rate: number;
  /** Processor time per response, in microseconds. */
  readonly cpuMicros: number;
  /** Latencies, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
};

/** The limit of a load, in seconds or requests, and its rate. */
export type Pace = {
  readonly seconds?: number;
  readonly requests?: number;
  /** Requests per second. Without a rate, each connection sends its next request after each response. */
  readonly rate?: number | undefined;
};

const CONNECTIONS = 32;

/** Sends requests on `connections` connections. Returns a function that stops them. */
export function startLoad(
  { url }: Contender,
  requests: readonly Request[],
  connections: number,
): () => Promise<void> {
  let isStopped = false;
  let sent = 0;
  const senders = Array.from({ length: connections }, async () => {
    const client = new Client(url);
    while (!isStopped) {
      const { body: response } = await client.request(requests[sent++ % requests.length] as Request);
      await response.dump();
    }
    await client.close();
  });
  return async () => {
    isStopped = true;
    await Promise.all(senders);
  };
}

/**
 * Sends requests on 32 connections. With a rate, a latency is measured from the time at which
 * the request was due. So it includes the waiting time while the server stalls.
 *
 * @throws if a response is not 200
 */
export async function load(
  { name, url, cpuSeconds }: Contender,
  requests: readonly Request[],
  { seconds = Number.POSITIVE_INFINITY, requests: most = Number.POSITIVE_INFINITY, rate }: Pace,
): Promise<Run> {
  const clients = Array.from({ length: CONNECTIONS }, () => new Client(url));
  const idle = [...clients];
  const latencies: number[] = [];
  const [cpu, start] = [cpuSeconds(), performance.now()];
  const end = start + seconds * 1000;
  let sent = 0;

  await new Promise<void>((resolve, reject) => {
    const isDone = () => sent >= most || performance.now() > end;
    const dueAt = (n: number) => (rate === undefined ? performance.now() : start + (n * 1000) / rate);

    function send(client: Client): void {
      const due = dueAt(sent);
      const request = requests[sent % requests.length] as Request;
      sent += 1;
      client.dispatch(request, {
        onRequestStart() {},
        onResponseStart(_controller, status) {
          if (status !== 200) reject(new Error(`${name} answered ${status}.`));
        },
        onResponseData() {},
        onResponseEnd() {
          latencies.push(performance.now() - due);
          if (!isDone() && rate === undefined) return send(client);
          idle.push(client);
          if (idle.length === CONNECTIONS && isDone()) resolve();
        },
        onResponseError: (_controller, error) => reject(error),
      });
    }

    function sendWhenDue(): void {
      while (idle.length > 0 && !isDone() && (rate === undefined || dueAt(sent) <= performance.now())) {
        send(idle.pop() as Client);
      }
      if (rate !== undefined && !isDone()) setImmediate(sendWhenDue);
      else if (idle.length === CONNECTIONS) resolve();
    }
    sendWhenDue();
  });

  const elapsed = (performance.now() - start) / 1000;
  const cpuMicros = ((cpuSeconds() - cpu) / latencies.length) * 1e6;
  await Promise.all(clients.map((client) => client.close()));
  return {
    rate: latencies.length / elapsed,
    cpuMicros,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}

/** Sends one request, and returns the body of the response. */
export async function ask({ url }: Contender, { method, path, headers, body }: Request): Promise<unknown> {
  return (await fetch(url + path, { method, headers, body })).json();
}
