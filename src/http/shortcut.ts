import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { BODY_LIMIT_BYTES } from '../model/fields.ts';
import type { Principal } from '../model/principal.ts';
import type { Authenticate } from './authorization.ts';
import { parseJson } from './json-body.ts';

/** A request whose body has been read. */
export type ReadRequest = {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Parses the body. @throws INVALID_ARGUMENT if it is not JSON */
  parse(): unknown;
  /** Finds out whom the request's bearer token speaks for. @throws UNAUTHENTICATED */
  authenticate(): Promise<Principal>;
};

/**
 * Answers a POST of JSON past the router and its hooks, which would take longer than all else.
 *
 * @returns undefined if the request is to go through them, before anything has been changed
 */
export type Shortcut = (
  request: ReadRequest,
) => Promise<{ readonly contentType: string; readonly body: string } | undefined>;

const JSON_BODY = /^application\/json(; ?charset=utf-8)?$/i;

/** What has become of a request before it goes to the router: its body has been read, or it has failed. */
const handedOver = new WeakMap<IncomingMessage, HandedOver>();

type HandedOver = { readonly id: string; readonly body?: Buffer; readonly error?: unknown };

/** The id of a request that a shortcut has left to the router. */
export function handedOverId(request: IncomingMessage): string | undefined {
  return handedOver.get(request)?.id;
}

/** What a listener works with. */
type ListenerSettings = {
  /** By the path that is asked for. */
  readonly shortcuts: ReadonlyMap<string | undefined, Shortcut>;
  /** Answers whatever no shortcut does. */
  readonly router: RequestListener;
  readonly isStopping: () => boolean;
  readonly newRequestId: (request: IncomingMessage) => string;
  readonly authenticate: Authenticate;
  /** Returns what every answer to a request carries. */
  readonly headersOf: (request: IncomingMessage, requestId: string) => OutgoingHttpHeaders;
};

/** Makes a listener that tries the shortcuts first. */
export function shortcutListener({
  shortcuts,
  router,
  isStopping,
  newRequestId,
  authenticate,
  headersOf,
}: ListenerSettings): RequestListener {
  return (request, response) => {
    const { method, url, headers } = request;
    const shortcut = method === 'POST' ? shortcuts.get(url) : undefined;
    const isPlain =
      Number(headers['content-length']) <= BODY_LIMIT_BYTES &&
      JSON_BODY.test(headers['content-type'] ?? '') &&
      headers.host !== undefined;
    if (shortcut === undefined || !isPlain || isStopping()) return router(request, response);

    async function answer(body: Buffer): Promise<void> {
      const id = newRequestId(request);
      try {
        const answered = await shortcut?.({
          id,
          headers,
          body,
          parse: () => parseJson(body),
          authenticate: () => authenticate(headers.authorization),
        });
        if (answered !== undefined) {
          const length = Buffer.byteLength(answered.body);
          const always = headersOf(request, id);
          // A connection that is kept alive would keep the server from stopping.
          if (isStopping()) always['connection'] = 'close';
          always['content-type'] = answered.contentType;
          always['content-length'] = length;
          response.writeHead(200, always);
          response.end(answered.body);
          return;
        }
        handedOver.set(request, { id, body });
      } catch (error) {
        handedOver.set(request, { id, error });
      }
      router(request, response);
    }

    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
  };
}

/** Lets the router take up what a shortcut has left to it. */
export function takeUp(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { error, body } = handedOver.get(request.raw) ?? {};
    if (error !== undefined) done(error as Error);
    else done(null, body === undefined ? payload : Readable.from([body]));
  });
}
