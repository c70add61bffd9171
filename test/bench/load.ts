import { Client } from 'undici';
import type { Contender } from './contender.ts';

/** What is asked, in rotation. */
export type Request = {
  readonly method: 'GET' | 'PATCH' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
};

/** What a run came to. */
export type Run = {
  /** Answers per second. */
  readonly rate: number;
  /** Processor time for each answer, in microseconds. */
  readonly cpuMicros: number;
};

const CONNECTIONS = 32;

/** Asks as fast as answers come, on 32 connections, for so long or so often. @throws if any answer is not 200 */
export async function load(
  { name, url, cpuSeconds }: Contender,
  requests: readonly Request[],
  seconds: number,
  most: number = Number.POSITIVE_INFINITY,
): Promise<Run> {
  const clients = Array.from({ length: CONNECTIONS }, () => new Client(url));
  const [cpu, start] = [cpuSeconds(), performance.now()];
  const end = start + seconds * 1000;
  let asked = 0;
  let answered = 0;

  const keepAsking = (client: Client) =>
    new Promise<void>((resolve, reject) => {
      const next = () => {
        const request = requests[asked % requests.length];
        if (request === undefined || performance.now() > end || asked === most) return resolve();
        asked += 1;
        client.dispatch(request, {
          onRequestStart() {},
          onResponseStart(_controller, status) {
            if (status !== 200) reject(new Error(`${name} answered ${status}.`));
          },
          onResponseData() {},
          onResponseEnd() {
            answered += 1;
            next();
          },
          onResponseError: (_controller, error) => reject(error),
        });
      };
      next();
    });
  await Promise.all(clients.map(keepAsking));

  const elapsed = (performance.now() - start) / 1000;
  const run = { rate: answered / elapsed, cpuMicros: ((cpuSeconds() - cpu) / answered) * 1e6 };
  await Promise.all(clients.map((client) => client.close()));
  return run;
}

/** Sends one request, and returns the answer. */
export async function ask({ url }: Contender, { method, path, headers, body }: Request): Promise<unknown> {
  return (await fetch(url + path, { method, headers, body })).json();
}
