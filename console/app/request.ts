import type { TypedDocumentString } from './generated/documents.ts';
import type { ShownRequest } from './request-texts.ts';
import { refuseToken, sessionState } from './session.ts';
import { TEXTS } from './texts.ts';

const TIMEOUT_MS = 30_000;

// The HTTP status of an error that GraphQL reports in a response without one: the token, or a failure that is temporary.
// A person may try again when room was made for FAILED_PRECONDITION, such as more addresses.
const STATUS_CODES: Readonly<Record<string, number>> = {
  UNAUTHENTICATED: 401,
  FAILED_PRECONDITION: 429,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
};

type ErrorDetails = {
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  readonly reason: string;
  readonly requestId?: string | undefined;
  readonly fieldViolations?: readonly { readonly field: string; readonly description: string }[] | undefined;
};

/** Why a request failed. The message is a sentence for the user. */
export class RequestError extends Error {
  readonly details: ErrorDetails;

  constructor(message: string, details: ErrorDetails) {
    super(message);
    this.details = details;
  }

  /** Returns the error for a value that is not sent at all. */
  static ofField(field: string, description: string): RequestError {
    const fieldViolations = [{ field, description }];
    return new RequestError(description, { status: 400, reason: 'INVALID_FIELDS', fieldViolations });
  }

  /** Whether the same request can succeed later. */
  get isTemporary(): boolean {
    const { status } = this.details;
    return status === 0 || status === 429 || status >= 500;
  }
}

/**
 * Sends a document to the GraphQL API, with an idempotency key if it is a mutation that may be repeated.
 *
 * @param token a token other than the session's
 * @throws RequestError
 */
export async function request<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  {
    idempotencyKey,
    token = sessionState.value.session?.token ?? '',
  }: { readonly idempotencyKey?: string; readonly token?: string } = {},
): Promise<Data> {
  const response = await post('./graphql', JSON.stringify({ query: document.trim(), variables }), {
    accept: 'application/graphql-response+json, application/json',
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
    ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
  });
  // The page of a proxy, such as one to log in, is not JSON.
  const { data, errors }: GraphqlResponse = await response.json().catch(() => ({}));
  if (response.ok && data && !errors) return data as Data;
  if (response.ok && !errors) throw noResponse('The response didn’t come from the gateway.');
  const error = errorOf(response, errors?.[0]);
  if (error.details.status === 401) refuseToken(token);
  throw error;
}

/** Revokes a token through the OAuth API, because a read-only token can send no mutation. @throws RequestError */
export async function revoke(token: string): Promise<void> {
  const response = await post('./oauth/revoke', new URLSearchParams({ token }));
  if (!response.ok) throw errorOf(response);
}

// Set while a request is only shown.
let shown: { request?: ShownRequest } | undefined;

/** Returns the first request of `send`, which ends there. Before it, `send` must not wait, or change anything. */
export function firstRequestOf(send: () => Promise<unknown>): ShownRequest | undefined {
  const first: typeof shown = {};
  shown = first;
  Promise.try(send).catch(() => {});
  shown = undefined;
  return first.request;
}

/** Returns a random key. A mutation that is sent again with the same key is executed once. */
export function newIdempotencyKey(): string {
  // crypto.randomUUID is missing in insecure contexts: plain HTTP from another host.
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

async function post(path: string, body: string | URLSearchParams, headers: Record<string, string> = {}) {
  if (shown) {
    shown.request = [path, body, headers];
    return new Promise<Response>(() => {});
  }
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return await fetch(path, { method: 'POST', headers, body, signal });
  } catch {
    throw noResponse(TEXTS.noResponse);
  }
}

function noResponse(problem: string): RequestError {
  const message = `${problem} Check your connection and try again.`;
  return new RequestError(message, { status: 0, reason: 'NO_RESPONSE' });
}

type GraphqlError = {
  readonly message: string;
  readonly extensions?: Partial<Omit<ErrorDetails, 'status'>> & { readonly status?: string };
};

type GraphqlResponse = { readonly data?: unknown; readonly errors?: readonly GraphqlError[] };

function errorOf({ ok, status, headers }: Response, error?: GraphqlError): RequestError {
  const { status: name = '', reason = 'UNKNOWN', fieldViolations, requestId } = error?.extensions ?? {};
  return new RequestError(error?.message ?? `The answer was an error with the status ${status}.`, {
    status: ok ? (STATUS_CODES[name] ?? 400) : status,
    reason,
    requestId: requestId ?? headers.get('x-request-id') ?? undefined,
    fieldViolations,
  });
}
