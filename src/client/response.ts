/** The error in a response. */
export type Problem = { readonly reason: string } & Partial<
  Omit<GatewayError, keyof Error | 'reason' | 'applied'>
>;

/** Why there is no response to rely on. An error response of the gateway is not one of these: it is returned. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /**
   * `NO_RESPONSE`, `TIMEOUT`, `ANSWER_LOST`, `NO_TOKEN`, `CURSOR_REPEATED`, the gateway's reason, or, without one, a text
   * such as `HTTP_502`.
   */
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

// The gateway sends at most 5 MB.
const MAX_RESPONSE_BYTES = 20_000_000;

// With these, the gateway has changed nothing. After any other 5xx, such as a proxy's, this is unknown.
const UNCHANGED = /^(INTERNAL|OVERLOADED|UNAVAILABLE|UNSUPPORTED_TRANSFER_CODING)$/;

/** Returns why a response does not come from the operation, or undefined. @param isJson whether it has to be JSON */
export function problemOf(
  { ok, status, headers }: Response,
  text: string,
  isJson: boolean,
): Problem | undefined {
  if (ok && !isJson && !text.includes('"errors":')) return undefined;
  const body = parse(text);
  // A proxy's page is not a response of the gateway.
  if (ok && !body.errors && (!isJson || Object.keys(body).length > 0)) return undefined;
  const details = { ...body.error?.details?.[0], ...body.errors?.[0]?.extensions };
  return {
    reason: details.reason ?? `HTTP_${status}`,
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: secondsOf(headers.get('retry-after') ?? String(details.retryAfterSeconds)),
  };
}

/** Returns whether a response says nothing about the change, such as one of a proxy. */
export function saysNothing({ reason, status = 0 }: Problem): boolean {
  if (status >= 500) return !UNCHANGED.test(reason);
  return /^(RESULT_UNKNOWN|IDEMPOTENCY_KEY_IN_USE|HTTP_2\d\d)$/.test(reason);
}

/** Source: RFC 9110, section 10.2.3. */
function secondsOf(retryAfter: string): number | undefined {
  const isDate = /^[A-Z][a-z]{2}, /.test(retryAfter);
  const seconds = isDate ? Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000) : Number(retryAfter);
  return seconds > 0 ? seconds : undefined;
}

/** Reads the body of a response. */
export async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error('The response is too long.');
    text += decoder.decode(value, { stream: true });
  }
  return text;
}

/** Returns the object in a text; an empty one if there is none. */
// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape; its fields are read one by one.
export function parse(text: string): any {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
