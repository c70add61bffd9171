import { expect } from 'vitest';
import type { HttpResponse } from './both-apis.ts';
import type { Gateway } from './gateway.ts';
import { readMetric, type Samples } from './metrics.ts';
import { logLines } from './run-command.ts';

/** A request that was answered, and what its line in the log and its metrics follow from. */
export type Answered = {
  readonly method: string;
  readonly route: string;
  readonly response: HttpResponse;
  /** The reason of its error; undefined for a success. */
  readonly reason: string | undefined;
  /** The ULIDs of the account and of the token, or those that a refused token claims; empty for garbage and without a token. */
  readonly caller: Readonly<
    Partial<Record<'account' | 'credential' | 'claimedAccount' | 'claimedCredential', string>>
  >;
  /** The app of a sign-in. */
  readonly app?: string | undefined;
};

const FAILED_SIGN_IN = 'INVALID_CREDENTIALS';

/** The line of a request in the log. */
export function lineFor({ response, reason, caller, app, method, route }: Answered) {
  return {
    ...{ level: reason === undefined ? 30 : 40, reqId: response.headers.get('x-request-id') },
    ...{ method, route, status: response.status, durationMs: expect.any(Number), client: '127.0.0.1' },
    ...caller,
    ...(reason !== undefined && { reason }),
    ...(reason === FAILED_SIGN_IN && { app }),
  };
}

/** Returns the line of a request in the log, without what the logger adds. There must be exactly one. */
export async function lineOf({ log }: Pick<Gateway, 'log'>, { headers }: HttpResponse) {
  const id = `"reqId":"${headers.get('x-request-id')}"`;
  const own = () => {
    const lines = log().slice(-50_000).split('\n');
    return logLines(`${lines.filter((line) => line.includes(id)).join('\n')}\n`).filter(isOfRequest);
  };
  // The line is written when the response has been sent, which the client can see earlier.
  await expect.poll(own).toHaveLength(1);
  const { time, pid, hostname, msg, ...line } = own()[0];
  return line;
}

const isOfRequest = ({ msg }: { msg: string }) => msg === 'request';

const METRICS = [
  'http_server_request_duration_seconds_count',
  'paw_errors_total',
  'paw_sign_ins_total',
] as const;

/** Returns the metrics that count requests, errors and sign-ins. */
export function readCounts(port: number): Promise<readonly Samples[]> {
  return Promise.all(METRICS.map((name) => readMetric(port, name)));
}

/** The metrics of `readCounts` after requests. */
export function countsAfter(before: readonly Samples[], requests: readonly Answered[]): readonly Samples[] {
  const after = before.map((samples): Record<string, number> => ({ ...samples }));
  const add = (index: number, labels: string) => {
    const samples = after[index] ?? {};
    samples[labels] = (samples[labels] ?? 0) + 1;
  };
  for (const { method, route, response, reason, app } of requests) {
    const labels = `http_request_method="${method}",http_route="${route}"`;
    add(0, `{${labels},http_response_status_code="${response.status}"}`);
    if (reason !== undefined) add(1, `{reason="${reason}"}`);
    if (app !== undefined && (reason ?? FAILED_SIGN_IN) === FAILED_SIGN_IN) {
      add(2, `{outcome="${reason ?? 'OK'}"}`);
    }
  }
  return after;
}
