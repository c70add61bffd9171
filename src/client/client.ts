/** The gateway, and what to sign in with: the name and the private key of an app, or a token. */
export type ClientOptions = {
  /** The public URL of the gateway. */
  readonly url: string;
  /** How often a request is tried again: 3 by default. */
  readonly retries?: number;
  /** The time for all tries of a request together: 30,000 by default. */
  readonly timeoutMs?: number;
} & ({ readonly clientId: string; readonly clientSecret: string } | { readonly token: string });

type Problem = { readonly reason: string } & Partial<Omit<GatewayError, keyof Error | 'reason' | 'applied'>>;

/** Why there is no response. A response of the gateway with an error is no exception: it is returned. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /** `NO_RESPONSE`, `TIMEOUT`, `ANSWER_LOST`, or the reason in the response of the gateway. */
  declare readonly reason: string;
  /** The HTTP status of the last response; undefined without one. */
  declare readonly status: number | undefined;
  declare readonly requestId: string | undefined;
  declare readonly retryAfterSeconds: number | undefined;
  /** Whether the change of the request was made. */
  declare readonly applied: 'yes' | 'no' | 'unknown';

  constructor(message: string, problem: Problem, applied: GatewayError['applied'], cause?: unknown) {
    super(message, { cause });
    Object.assign(this, problem, { applied });
  }
}

/** A token, and from when on the next one is needed, in Unix milliseconds. */
type Token = { readonly text: string; readonly renewTime: number };

const RENEW_BEFORE_MS = 60_000;
const MAX_WAIT_MS = 30_000;
const FIRST_WAIT_MS = 200;

const TIMEOUT = { reason: 'TIMEOUT' };
const LOST = 'The token has ended, and the response to the change can only be read with it.';

// A change is safe to send again, because it has a key.
const TEMPORARY =
  /^(IDEMPOTENCY_KEY_IN_USE|OVERLOADED|UNAVAILABLE|RESULT_UNKNOWN|TOO_MANY_(REQUESTS|CONCURRENT_REQUESTS|PASSWORDS))$/;

/**
 * Returns a function like `fetch` that signs in, gives each change an `Idempotency-Key`, and sends again what can succeed
 * later. A path such as `/graphql` is one of the gateway.
 *
 * @throws GatewayError if there is no response
 */
export function createFetch(options: ClientOptions): typeof fetch {
  const { retries = 3, timeoutMs = 30_000 } = options;
  const base = new URL(options.url).href.replace(/\/$/, '');
  const canRenew = !('token' in options);
  let token: Promise<Token> | undefined;

  /** Returns the token. Requests that need the next one share one sign-in. @param refused is not returned again */
  const getToken = async (refused?: Token): Promise<Token> => {
    const before = token;
    const current = await before?.catch(() => undefined);
    if (current && current !== refused && Date.now() < current.renewTime) return current;
    if (token === before) token = signIn();
    return token as Promise<Token>;
  };

  const signIn = async (): Promise<Token> => {
    if ('token' in options) return { text: options.token, renewTime: Number.POSITIVE_INFINITY };
    const credentials = [options.clientId, options.clientSecret].map(encodeURIComponent).join(':');
    const response = await send(
      new Request(`${base}/oauth/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(credentials)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      }),
    );
    const { access_token, expires_in, error, error_description } = parse(await response.clone().text());
    if (!response.ok)
      throw new GatewayError(error_description, { ...(await problemOf(response)), reason: error }, 'no');
    return { text: access_token, renewTime: Date.now() + expires_in * 1000 - RENEW_BEFORE_MS };
  };

  /** Sends a request until it has a response that is final. @param isChange whether it has a key */
  const send = async (request: Request, isChange = false, isSignedIn = false): Promise<Response> => {
    const endTime = Date.now() + timeoutMs;
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([deadline, request.signal]);
    let isRenewed = false;
    // Whether an earlier try can have made the change.
    let isPending = false;
    const until = <Value>(promise: Promise<Value>) =>
      untilAborted(promise, signal).catch((error) => {
        if (request.signal.aborted || error !== deadline.reason) throw error;
        throw new GatewayError('The time is over.', TIMEOUT, isPending ? 'unknown' : 'no', error);
      });
    let current = isSignedIn ? await until(getToken()) : undefined;
    for (let attempt = 0; ; attempt += 1) {
      const sent = new Request(request.clone(), { signal });
      if (current) sent.headers.set('authorization', `Bearer ${current.text}`);
      const [response, problem] = await fetch(sent)
        .then(async (answer) => [answer, await problemOf(answer, isChange)] as const)
        .catch((error: Error) => {
          request.signal.throwIfAborted();
          return [error, undefined] as const;
        });
      // In Jest, an error is not one of the class of the test.
      const isLost = !('ok' in response);
      if (!isLost && problem?.reason === 'TOKEN_INVALID' && isSignedIn) {
        if (!canRenew && isPending) throw new GatewayError(LOST, problem, 'unknown');
        if (!canRenew || isRenewed) return response;
        isRenewed = true;
        // If an earlier try was applied, the gateway says so, because another token can't open the kept response.
        current = await until(getToken(current));
        continue;
      }
      if (problem?.reason === 'IDEMPOTENCY_RESPONSE_SEALED' && isPending)
        throw new GatewayError(LOST, { ...problem, reason: 'ANSWER_LOST' }, 'yes');
      if (isLost || problem?.reason === 'RESULT_UNKNOWN') isPending = isChange;
      const retryAfterMs = (problem?.retryAfterSeconds ?? 0) * 1000;
      const waitMs = (retryAfterMs || FIRST_WAIT_MS * 2 ** attempt) * (1 + Math.random() / 4);
      const isFinal = attempt >= retries || retryAfterMs > MAX_WAIT_MS || Date.now() + waitMs > endTime;
      if (!isLost && (isFinal || !problem || !TEMPORARY.test(problem.reason))) return response;
      if (isLost && isFinal) {
        const why = deadline.aborted ? TIMEOUT : { reason: 'NO_RESPONSE' };
        throw new GatewayError('There is no response.', why, isChange ? 'unknown' : 'no', response);
      }
      await until(new Promise((resolve) => setTimeout(resolve, waitMs)));
    }
  };

  return async (input, init) => {
    const url = typeof input === 'string' && input.startsWith('/') ? base + input : input;
    const request = new Request(url, init);
    // The token is for the gateway alone.
    if (!request.url.startsWith(`${base}/`)) return fetch(request);
    const isChange = await isChangeIn(request);
    // `crypto.randomUUID` is missing in a page by plain HTTP.
    const key = () => crypto.getRandomValues(new Uint32Array(4)).join('-');
    if (isChange && !request.headers.has('idempotency-key')) request.headers.set('idempotency-key', key());
    return send(request, isChange, !request.headers.has('authorization'));
  };
}

/** A GraphQL list: a document with the variable `$after`, and its connection in the data. */
export type GraphqlList<Item> = {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: the data has the type of the document of the caller.
  readonly connection: (data: any) => {
    readonly nodes: readonly Item[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
  };
};

/**
 * Reads a list page by page: by GraphQL, or the projects by REST.
 *
 * @param list a GraphQL list, or the path and the query string of the REST list, such as `/project/projects?pageSize=100`
 * @throws GatewayError also for a response with an error
 */
export async function* pages<Item>(
  fetchGateway: typeof fetch,
  list: GraphqlList<Item> | string,
): AsyncGenerator<readonly Item[], void> {
  let after: string | undefined;
  do {
    const isRest = typeof list === 'string';
    const response = isRest
      ? await fetchGateway(after ? `${list}${list.includes('?') ? '&' : '?'}pageToken=${after}` : list)
      : await fetchGateway('/graphql', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query: list.query, variables: { ...list.variables, after } }),
        });
    const problem = await problemOf(response);
    if (problem) throw new GatewayError(`The list was refused: ${problem.reason}.`, problem, 'no');
    const body = parse(await response.text());
    if (isRest) {
      yield body.projects;
      after = body.nextPageToken;
    } else {
      const { nodes, pageInfo } = list.connection(body.data);
      yield nodes;
      after = pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined;
    }
  } while (after);
}

/** Returns whether a request changes something: all of REST but GET, and a document of GraphQL with a mutation. */
async function isChangeIn(request: Request): Promise<boolean> {
  if (request.method === 'GET' || request.method === 'HEAD') return false;
  if (!new URL(request.url).pathname.endsWith('/graphql')) return true;
  const text = await request.clone().text();
  // The key of a query is ignored: the word can be in a comment, and the document can be known by its id alone.
  return !/"query"\s*:/.test(text) || /\bmutation\b/.test(text);
}

/** Returns what the gateway refused, or undefined. @param isRead whether the response has to be complete */
async function problemOf(response: Response, isRead = false): Promise<Problem | undefined> {
  const { ok, status, headers } = response;
  if (ok && !isRead && !response.url.endsWith('/graphql')) return undefined;
  const text = await response.clone().text();
  if (ok && !text.includes('"errors":')) return undefined;
  const { errors, error } = parse(text);
  if (ok && !errors) return undefined;
  const details = { ...error?.details?.[0], ...errors?.[0]?.extensions };
  return {
    // The response of a proxy has no reason.
    reason: details.reason ?? (status === 429 || status === 503 ? 'UNAVAILABLE' : `HTTP_${status}`),
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds:
      Number.parseInt(headers.get('retry-after') ?? details.retryAfterSeconds, 10) || undefined,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape; its fields are read one by one.
function parse(text: string): any {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** Waits, unless the signal ends it. */
function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([promise, aborted]);
}
