import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HostileData, seed } from './hostile-data.ts';
import { documentCases, variableCases } from './hostile-documents.ts';
import {
  bodyCases,
  type Case,
  formCases,
  type HttpRequest,
  headerCases,
  type Known,
  validRequests,
  withNonce,
} from './hostile-requests.ts';
import { rowsOf, type Search } from './hostile-search.ts';
import { type Effect, MeasuredGateway } from './hostile-server.ts';
import { variedCases } from './hostile-varied.ts';
import { progress } from './measure.ts';

const BATCH = 20;
const AT_ONCE = 50;

// The heap grows by as much without a reason.
const NOISE_KB = 100;

/** How much of everything a run measures. A quick one takes every n-th case, for so long. */
const SCOPES = {
  quick: { every: 20, partMs: 15_000, stayRequests: 25 },
  full: { every: 1, partMs: Number.POSITIVE_INFINITY, stayRequests: 1000 },
};

type Scope = (typeof SCOPES)['quick'];

type Headers = Readonly<Record<string, string>>;

/** Measures hostile requests. Returns a table of the worst ones by each measure. */
export async function measureHostile(isQuick: boolean): Promise<string> {
  execFileSync(process.execPath, ['console/build.ts'], { stdio: 'ignore' });
  const folder = mkdtempSync(join(tmpdir(), 'paw-hostile-'));
  const url = `sqlite:${join(folder, 'paw.db')}`;
  progress('making the database');
  const data = await seed(url);
  const gateway = await MeasuredGateway.start(url);
  try {
    const rows = await measureAll(gateway, data, isQuick ? SCOPES.quick : SCOPES.full);
    return ['| measure | request | value |', '| --- | --- | --- |', ...rows].join('\n');
  } finally {
    await gateway.stop();
    rmSync(folder, { recursive: true });
  }
}

async function measureAll(
  gateway: MeasuredGateway,
  { known: seeded, accountToken, otherToken }: HostileData,
  scope: Scope,
): Promise<readonly string[]> {
  const token = await projectTokenOf(gateway, seeded);
  const known = { ...seeded, token };
  const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
  const identities: Readonly<Record<string, Headers>> = {
    'without a token': {},
    'with a project token': bearer(token),
    'with an account token': bearer(accountToken),
  };
  const rows: string[] = [];
  for (const [identity, headers] of Object.entries(identities)) {
    const turns = turnSearch(gateway, identity);
    rows.push(...(await rowsOf(turns, hostileCases(gateway, known, headers, scope), scope.partMs)));
  }
  const varied = () => ofAll(identities, (headers) => allVaried(gateway, known, headers));
  rows.push(...(await rowsOf(staySearch(gateway, scope.stayRequests), varied(), scope.partMs)));
  const page = { method: 'GET', path: '/project/projects?pageSize=10', headers: bearer(otherToken) };
  const heavy = () => ofAll(identities, (headers) => heavyCases(gateway, known, headers, scope));
  for (const field of ['waitMs', 'peakMb'] as const) {
    rows.push(...(await rowsOf(atOnceSearch(gateway, page, field), heavy(), scope.partMs)));
  }
  return rows;
}

async function projectTokenOf(
  { url }: MeasuredGateway,
  { name, privateKey }: Omit<Known, 'token'>,
): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: name,
    client_secret: privateKey,
  });
  const response = await fetch(`${url}/oauth/token`, { method: 'POST', body });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return token;
}

const isQuickIn = ({ every }: Scope) => every > 1;

/** The valid requests of all routes, and what the rules make of them. */
async function* hostileCases(
  gateway: MeasuredGateway,
  known: Known,
  authorization: Headers,
  scope: Scope,
): AsyncGenerator<Case> {
  const requests = requestsWith(gateway, known, authorization);
  yield* requests.map(caseOf);
  yield* some(madeCases(gateway, known, requests, authorization, isQuickIn(scope)), scope.every);
}

async function* madeCases(
  gateway: MeasuredGateway,
  known: Known,
  requests: readonly HttpRequest[],
  authorization: Headers,
  isQuick: boolean,
): AsyncGenerator<Case> {
  for (const each of documentCases(known, isQuick)) yield withHeaders(each, authorization);
  for (const each of variableCases(known)) yield withHeaders(each, authorization);
  for (const request of requests) {
    yield* headerCases(request, await headersReadBy(gateway, request), isQuick);
    if (request.body?.startsWith('{')) yield* bodyCases(request);
    else if (request.body !== undefined) yield* formCases(request);
  }
}

/** What can take much memory or time: valid requests, with and without content codings, and documents. */
async function* heavyCases(
  gateway: MeasuredGateway,
  known: Known,
  authorization: Headers,
  scope: Scope,
): AsyncGenerator<Case> {
  for (const request of requestsWith(gateway, known, authorization)) {
    yield caseOf(request);
    if (request.path.startsWith('/assets/')) {
      yield caseOf({ ...request, headers: { ...request.headers, 'accept-encoding': 'br' } });
    }
  }
  for await (const each of some(documentCases(known, isQuickIn(scope)), scope.every)) {
    yield withHeaders(each, authorization);
  }
}

async function* allVaried(
  gateway: MeasuredGateway,
  known: Known,
  authorization: Headers,
): AsyncGenerator<Case> {
  for (const request of requestsWith(gateway, known, authorization)) {
    yield* variedCases(request, await headersReadBy(gateway, request));
  }
}

function requestsWith(
  { routes }: MeasuredGateway,
  known: Known,
  authorization: Headers,
): readonly HttpRequest[] {
  return validRequests(known, routes).map((request) => ({
    ...request,
    headers: { ...authorization, ...request.headers },
  }));
}

async function headersReadBy(gateway: MeasuredGateway, request: HttpRequest): Promise<readonly string[]> {
  return (await gateway.measure([withNonce(request, randomUUID())])).headers;
}

function caseOf(request: HttpRequest): Case {
  const accept = request.headers['accept-encoding'] ?? '';
  const name = `${request.method} ${request.path.slice(0, 60)} ${accept} ${request.body?.slice(0, 60) ?? ''}`;
  return { name: name.trim(), requestOf: (nonce) => withNonce(request, nonce), times: 1 };
}

function withHeaders(each: Case, headers: Headers): Case {
  return {
    ...each,
    requestOf(nonce) {
      const request = each.requestOf(nonce);
      return { ...request, headers: { ...headers, ...request.headers } };
    },
  };
}

async function* ofAll(
  identities: Readonly<Record<string, Headers>>,
  casesOf: (headers: Headers) => AsyncIterable<Case>,
): AsyncGenerator<Case> {
  for (const [identity, headers] of Object.entries(identities)) {
    for await (const each of casesOf(headers)) yield { ...each, name: `${identity}: ${each.name}` };
  }
}

async function* some(cases: AsyncIterable<Case> | Iterable<Case>, every: number): AsyncGenerator<Case> {
  let n = 0;
  for await (const each of cases) if (n++ % every === 0) yield each;
}

/**
 * The longest turn of the event loop, in milliseconds of processor time: the least one of several measurements, because
 * garbage collections and other programs of the machine lengthen it.
 */
function turnSearch(gateway: MeasuredGateway, identity: string): Search {
  const measure = async (cases: readonly Case[], repetitions: number) => {
    let least = Number.POSITIVE_INFINITY;
    for (let n = 0; n < repetitions; n += 1) {
      least = Math.min(least, (await gateway.measure(cases.flatMap(requestsOf))).ms);
    }
    return least;
  };
  return { label: `in one piece, ${identity}`, unit: 'ms', batch: BATCH, min: 1, measure };
}

/**
 * The kilobytes of the heap that stay after a request, on average, in the least of several rounds: the first one compiles
 * code, and a cache that is bounded is full some time.
 */
function staySearch(gateway: MeasuredGateway, requests: number): Search {
  const measure = async (cases: readonly Case[], rounds: number) => {
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round += 1) {
      const before = await gateway.bytes();
      for (const { requestOf } of cases) {
        await gateway.measure(Array.from({ length: requests }, () => requestOf(nonce())));
      }
      least = Math.min(least, ((await gateway.bytes()) - before) / requests / 1000);
    }
    return least;
  };
  return {
    label: `stay per request, of ${requests}`,
    unit: 'KB',
    batch: BATCH,
    min: NOISE_KB / requests,
    measure,
  };
}

/** The effect of requests at once. */
function atOnceSearch(gateway: MeasuredGateway, page: HttpRequest, field: keyof Effect): Search {
  const measure = async ([hostile]: readonly Case[]) => {
    if (hostile === undefined) return 0;
    const requests = Array.from({ length: AT_ONCE }, () => hostile.requestOf(nonce()));
    return (await gateway.atOnce(requests, page))[field];
  };
  const [label, unit] = field === 'waitMs' ? ["wait of another account's page", 'ms'] : ['peak', 'MB'];
  return { label: `${label}, beside ${AT_ONCE} at once`, unit, batch: 1, min: 0, measure };
}

function requestsOf({ requestOf, times }: Case): readonly HttpRequest[] {
  const request = requestOf(nonce());
  return Array(times).fill(request);
}

/** Returns a new text, which is a part of a name in every language. */
function nonce(): string {
  return randomUUID().replaceAll('-', '');
}
