import { GatewayError, type Problem, parse, problemOf, readText, saysNothing } from './response.ts';

export { type GraphqlList, pages } from './pages.ts';
export { GatewayError } from './response.ts';

/** The gateway, and what to sign in with: the name and the private key of an app, or a token. */
export type ClientOptions = {
  /** The public URL of the gateway. */
  readonly url: string;
  /** How often a request is tried again: 3 by default. */
  readonly retries?: number;
  /** The time for all tries of a request together: 30,000 by default. */
  readonly timeoutMs?: number;
} & (
  | { readonly clientId: string; readonly clientSecret: string }
  /** A function gets a token before the first request, and the next one when the gateway refuses it. */
  | { readonly token: string | (() => Promise<string>) }
);

const RENEW_BEFORE_MS = 60_000;
const MAX_WAIT_MS = 30_000;
const FIRST_WAIT_MS = 200;

// A change is safe to send again, because it has a key.
const TEMPORARY = /^(OVERLOADED|UNAVAILABLE|HTTP_429|TOO_MANY_(REQUESTS|CONCURRENT_REQUESTS|PASSWORDS))$/;

/**
 * Returns a function like `fetch` that signs in, gives each change an `Idempotency-Key`, and retries requests that can
 * succeed later. A path such as `/graphql` is one of the gateway, whose redirects are not followed.
 *
 * @throws GatewayError if there is no response, or none that says whether the change was made
 */
export function createFetch(options: ClientOptions): typeof fetch {
  if (!globalThis.crypto || !AbortSignal.timeout)
    throw new Error('paw-gateway/client needs Node 20, a browser of 2022, or a later one.');
  const { retries = 3, timeoutMs = 30_000 } = options;
  const base = baseOf(options.url);
  const send = (request: Request, isChange: boolean, tokens?: Tokens) =>
    new Tries(request, isChange, { retries, timeoutMs }).run(tokens);
  const tokens = new Tokens(options, (request) => send(request, false), base);

  return async (input, init) => {
    const url = typeof input === 'string' && input.startsWith('/') ? base + input : input;
    const request = new Request(url, init);
    // The token is for the gateway alone.
    if (!request.url.startsWith(`${base}/`)) return fetch(request);
    const isChange = await isChangeIn(request);
    // `crypto.randomUUID` is missing in a page over plain HTTP.
    const key = () => crypto.getRandomValues(new Uint32Array(4)).join('-');
    if (isChange && !request.headers.has('idempotency-key')) request.headers.set('idempotency-key', key());
    return send(request, isChange, request.headers.has('authorization') ? undefined : tokens);
  };
}

function baseOf(text: string): string {
  // The message has no value: a URL can have a password.
  if (!/^https?:\/\/[^?#@]+$/i.test(text))
    throw new TypeError('`url` must be the URL of the gateway, such as https://paw.example.com.');
  return new URL(text).href.replace(/\/$/, '');
}

/** A token, and from when on the next one is needed, in Unix milliseconds. */
type Token = { readonly text: string; readonly renewTime: number };

/** The token of a client, and how to get the next one. */
class Tokens {
  readonly canRenew: boolean;
  /** Whether all tokens are of one app. */
  readonly areOfOneApp: boolean;
  readonly #load: () => Promise<Token>;
  #token: Promise<Token> | undefined;

  constructor(options: ClientOptions, send: (request: Request) => Promise<Response>, base: string) {
    this.areOfOneApp = !('token' in options);
    this.canRenew = this.areOfOneApp || typeof (options as { token: unknown }).token === 'function';
    this.#load = async () => {
      if (!('token' in options)) return signIn(options, send, base);
      const text = typeof options.token === 'string' ? options.token : await options.token();
      return { text: checkToken(text), renewTime: Number.POSITIVE_INFINITY };
    };
  }

  /** Returns the token. Requests that need the next one share one sign-in. @param refused is not returned again */
  async get(refused?: Token): Promise<Token> {
    const before = this.#token;
    const current = await before?.catch(() => undefined);
    if (current && current !== refused && Date.now() < current.renewTime) return current;
    if (this.#token === before) this.#token = this.#load().catch(rethrowWithoutToken);
    return this.#token as Promise<Token>;
  }
}

function rethrowWithoutToken(error: unknown): never {
  if (error instanceof GatewayError) throw error;
  throw new GatewayError('Could not get a token.', { reason: 'NO_TOKEN' }, 'no', error);
}

/** The error of `fetch` for an invalid header contains the value, so an invalid token is never passed to it. */
function checkToken(token: unknown, problem?: Problem): string {
  if (typeof token === 'string' && /^[!-~]+$/.test(token.trim())) return token.trim();
  throw new GatewayError('The token is missing or malformed.', { ...problem, reason: 'NO_TOKEN' }, 'no');
}

async function signIn(
  { clientId, clientSecret }: Extract<ClientOptions, { readonly clientId: string }>,
  send: (request: Request) => Promise<Response>,
  base: string,
): Promise<Token> {
  const startTime = Date.now();
  const response = await send(
    new Request(`${base}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa([clientId, clientSecret].map(encodeURIComponent).join(':'))}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    }),
  );
  const text = await response.text();
  const { access_token, expires_in, error, error_description } = parse(text);
  const problem = problemOf(response, text, false);
  if (problem)
    throw new GatewayError(
      error_description ?? 'The sign-in was refused.',
      { ...problem, reason: error ?? problem.reason },
      'no',
    );
  const lifetimeMs = expires_in > 0 ? expires_in * 1000 : Number.POSITIVE_INFINITY;
  const renewTime = startTime + Math.max(lifetimeMs - RENEW_BEFORE_MS, lifetimeMs / 2);
  return { text: checkToken(access_token, { reason: '', status: response.status }), renewTime };
}

type Limits = { readonly retries: number; readonly timeoutMs: number };

type Answer = {
  readonly response?: Response | undefined;
  readonly problem?: Problem | undefined;
  readonly error?: unknown;
};

/** The tries of a request, and their results. */
class Tries {
  readonly #request: Request;
  readonly #isChange: boolean;
  readonly #retries: number;
  readonly #endTime: number;
  readonly #signals: readonly [caller: AbortSignal, deadline: AbortSignal];
  // Whether a try can have applied the change. It has a key, so the next one does not apply it again.
  #isPending = false;

  constructor(request: Request, isChange: boolean, { retries, timeoutMs }: Limits) {
    this.#request = request;
    this.#isChange = isChange;
    this.#retries = retries;
    this.#endTime = Date.now() + timeoutMs;
    this.#signals = [request.signal, AbortSignal.timeout(timeoutMs)];
  }

  /** Sends the request until it has a response that is final. */
  async run(tokens?: Tokens): Promise<Response> {
    let token = tokens && (await this.#inTime(tokens.get()));
    let isRenewed = false;
    for (let attempt = 0; ; attempt += 1) {
      const { response, problem, error } = await this.#send(token);
      if (response && !problem) return response;
      const why = problem ?? { reason: this.#signals[1].aborted ? 'TIMEOUT' : 'NO_RESPONSE' };
      const isUncertain = !problem || saysNothing(problem);
      if (isUncertain) this.#isPending = this.#isChange;
      if (tokens && why.reason === 'TOKEN_INVALID') {
        // Each app has its own keys: with another app's token, the change would be applied again.
        const canRenew = this.#isPending ? tokens.areOfOneApp : tokens.canRenew;
        if (!canRenew || isRenewed) return this.#end(why, { response });
        isRenewed = true;
        token = await this.#inTime(tokens.get(token));
        continue;
      }
      const retryAfterMs = (why.retryAfterSeconds ?? 0) * 1000;
      const waitMs = (retryAfterMs || FIRST_WAIT_MS * 2 ** attempt) * (1 + Math.random() / 4);
      const isLate = retryAfterMs > MAX_WAIT_MS || Date.now() + waitMs > this.#endTime;
      const isFinal = !isUncertain && !TEMPORARY.test(why.reason);
      if (isFinal || isLate || attempt >= this.#retries) return this.#end(why, { response, error });
      await this.#inTime(new Promise((resolve) => setTimeout(resolve, waitMs)));
    }
  }

  async #send(token: Token | undefined): Promise<Answer> {
    const sent = this.#request.clone();
    if (token) sent.headers.set('authorization', `Bearer ${token.text}`);
    // A separate signal: neither the timeout nor the caller cuts off a complete response.
    const aborter = new AbortController();
    const abort = () => aborter.abort();
    for (const signal of this.#signals) signal.aborted ? abort() : signal.addEventListener('abort', abort);
    try {
      const response = await fetch(sent, { signal: aborter.signal, redirect: 'error' });
      const text = await readText(response.clone());
      return { response, problem: problemOf(response, text, this.#isChange) };
    } catch (error) {
      abort();
      this.#request.signal.throwIfAborted();
      return { error };
    } finally {
      for (const signal of this.#signals) signal.removeEventListener('abort', abort);
    }
  }

  /** Returns the response, unless an earlier try can have made the change of which it says nothing. */
  #end(problem: Problem, { response, error }: Answer): Response {
    if (response && !this.#isPending) return response;
    if (this.#isPending && problem.reason === 'IDEMPOTENCY_RESPONSE_SEALED')
      throw new GatewayError(
        'The change was applied, but the token that could read its response has expired or was revoked.',
        { ...problem, reason: 'ANSWER_LOST' },
        'yes',
      );
    throw new GatewayError(
      response ? `The change may have been applied: ${problem.reason}.` : 'No response was received.',
      problem,
      this.#isPending ? 'unknown' : 'no',
      error,
    );
  }

  /**
   * Waits, unless a signal ends it.
   * @throws GatewayError including the error of a sign-in, which knows nothing of the change
   */
  async #inTime<Value>(promise: Promise<Value>): Promise<Value> {
    let stop = () => {};
    const ended = new Promise<never>((_, reject) => {
      stop = () => reject(new GatewayError('The request timed out.', { reason: 'TIMEOUT' }, 'no'));
    });
    for (const signal of this.#signals) signal.aborted ? stop() : signal.addEventListener('abort', stop);
    try {
      return await Promise.race([promise, ended]);
    } catch (error) {
      this.#request.signal.throwIfAborted();
      if (!this.#isPending || !(error instanceof GatewayError)) throw error;
      throw new GatewayError(error.message, { ...error }, 'unknown', error);
    } finally {
      for (const signal of this.#signals) signal.removeEventListener('abort', stop);
    }
  }
}

/**
 * Returns whether a request can change something: every REST request but GET, and a GraphQL request that is not plainly a
 * query.
 */
async function isChangeIn(request: Request): Promise<boolean> {
  if (request.method === 'GET' || request.method === 'HEAD') return false;
  if (!new URL(request.url).pathname.endsWith('/graphql')) return true;
  const {
    query,
    variables: _,
    operationName: __,
    extensions,
    ...others
  } = parse(await request.clone().text());
  // A document can be known by an id. The word can be in a comment: the gateway ignores the key of a query.
  const isPlain = !extensions?.persistedQuery && Object.keys(others).length === 0;
  return !isPlain || typeof query !== 'string' || /\bmutation\b/.test(query);
}
