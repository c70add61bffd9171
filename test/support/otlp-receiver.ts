import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A span as it was received. */
export type ReceivedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  /** Its code is 0 if it is unset, 1 or 2 for an error. */
  readonly status: { readonly code: number };
  readonly attributes: Readonly<Record<string, unknown>>;
};

/** A receiver of OTLP over HTTP with JSON. Source: OpenTelemetry protocol, version 1.7. */
export type OtlpReceiver = {
  readonly url: string;
  spans(): readonly ReceivedSpan[];
  /** The bodies of all requests. */
  text(): string;
  close(): void;
};

type KeyValue = { readonly key: string; readonly value: Readonly<Record<string, unknown>> };

type Export = {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'attributes'> & {
        readonly attributes: readonly KeyValue[];
      })[];
    }[];
  }[];
};

/** Starts a receiver on a free port. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.url === '/v1/traces') bodies.push(body);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => bodies.flatMap((body) => spansOf(JSON.parse(body))),
    text: () => bodies.join('\n'),
    close: () => void server.close(),
  };
}

function spansOf({ resourceSpans }: Export): readonly ReceivedSpan[] {
  return resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({ ...span, attributes: toRecord(span.attributes) })),
    ),
  );
}

function toRecord(attributes: readonly KeyValue[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
