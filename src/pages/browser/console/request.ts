import type { TypedDocumentString } from './generated-documents.ts';
import { refuseToken, sessionState } from './session.ts';

const TIMEOUT_MS = 30_000;

// The HTTP status of an error that GraphQL reports in a response with the status 200.
const STATUS_CODES: Readonly<Record<string, number>> = {
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  ABORTED: 409,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
};

type ErrorOptions = {
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  readonly reason: string;
  readonly requestId?: string | undefined;
  readonly fieldViolations?: readonly { readonly field: string; readonly description: string }[] | undefined;
  /** The time from which on the request may be sent again, in Unix milliseconds. */
  readonly retryTime?: number | undefined;
};

/** Why a request failed. The message is a sentence for the person. */
export class RequestError extends Error {
  readonly status: number;
  readonly reason: string;
  readonly requestId: string | undefined;
  readonly fieldViolations: NonNullable<ErrorOptions['fieldViolations']>;
  readonly retryTime: number | undefined;

  constructor(message: string, { status, reason, requestId, fieldViolations = [], retryTime }: ErrorOptions) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.requestId = requestId;
    this.fieldViolations = fieldViolations;
    this.retryTime = retryTime;
  }

  /** Returns the error for a value that is not sent at all. */
  static ofField(field: string, description: string): RequestError {
    const fieldViolations = [{ field, description }];
    return new RequestError(description, { status: 400, reason: 'INVALID_FIELDS', fieldViolations });
  }

  /** Whether the same request can succeed later. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

type RequestOptions = {
  /** Makes a mutation safe to repeat. See `newIdempotencyKey`. */
  readonly idempotencyKey?: string;
  /** Another token than that of the session. */
  readonly token?: string;
};

/** Sends a document to the GraphQL API. @throws RequestError */
export async function request<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  { idempotencyKey, token = sessionState.value.session?.token ?? '' }: RequestOptions = {},
): Promise<Data> {
  const { response, text } = await post('./graphql', JSON.stringify({ query: document.trim(), variables }), {
    accept: 'application/graphql-response+json, application/json',
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
    ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
  });
  const { data, errors } = parse(text) ?? {};
  if (response.ok && data && !errors) return data as Data;
  // The page of a proxy, such as one to log in.
  if (response.ok && !errors) throw noResponse('The answer is not one of the gateway.');
  const error = errorOf(response, errors?.[0]);
  if (error.status === 401) refuseToken(token);
  throw error;
}

/** Ends a token at the OAuth API, which a token that only reads may do as well. @throws RequestError */
export async function revoke(token: string): Promise<void> {
  const { response } = await post('./oauth/revoke', new URLSearchParams({ token }));
  if (!response.ok) throw errorOf(response);
}

/** Returns a random key. A mutation that is sent again with the same key is executed once. */
export function newIdempotencyKey(): string {
  // crypto.randomUUID is missing in insecure contexts: plain HTTP from another host.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

async function post(path: string, body: string | URLSearchParams, headers: Record<string, string> = {}) {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(path, { method: 'POST', headers, body, signal });
    return { response, text: await response.text() };
  } catch {
    throw noResponse('The gateway did not answer.');
  }
}

function noResponse(problem: string): RequestError {
  return new RequestError(`${problem} Check the connection, then try again.`, {
    status: 0,
    reason: 'NO_RESPONSE',
  });
}

type GraphqlError = {
  readonly message: string;
  readonly extensions?: Partial<Omit<ErrorOptions, 'status'>> & {
    readonly status?: string;
    readonly retryAfterSeconds?: number;
  };
};

type GraphqlResponse = { readonly data?: unknown; readonly errors?: readonly GraphqlError[] };

/** Returns undefined for a text that is not JSON, such as the page of a proxy. */
function parse(text: string): GraphqlResponse | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorOf({ ok, status, headers }: Response, error?: GraphqlError): RequestError {
  const { status: name = '', retryAfterSeconds, ...extensions } = error?.extensions ?? {};
  return new RequestError(error?.message ?? `The answer was an error with the status ${status}.`, {
    status: ok ? (STATUS_CODES[name] ?? 400) : status,
    reason: extensions.reason ?? 'UNKNOWN',
    requestId: extensions.requestId ?? headers.get('x-request-id') ?? undefined,
    fieldViolations: extensions.fieldViolations,
    retryTime: retryTimeOf(headers.get('retry-after') ?? retryAfterSeconds),
  });
}

/** @param retryAfter seconds, or a date, as a proxy may send it */
function retryTimeOf(retryAfter: string | number | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  const seconds = Number(retryAfter);
  const time = Number.isNaN(seconds) ? Date.parse(`${retryAfter}`) : Date.now() + Math.max(seconds, 1) * 1000;
  return Number.isNaN(time) ? undefined : time;
}
