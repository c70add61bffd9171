import { trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DataLayer } from '../data/data-layer.ts';
import type { Database } from '../storage/database.ts';
import { tracedExecution } from './graphql-spans.ts';
import { addRequestContext, addRequestSpans, traceIdOf } from './request-spans.ts';
import { tracedDataLayer } from './traced-data-layer.ts';
import { connectionAttributes, type EndedSync, tracedDatabase } from './traced-database.ts';

/** Records the spans of one process. Each function wraps a part of the server once, at the start. */
export type Tracing = {
  /** @param url the URL of the database */
  traceDatabase(database: Database, url: string): Database;
  /** Must be called after each sync of SQLite's write-ahead log, before the writes resolve that it has put on disk. */
  observeSync(sync: { readonly seconds: number; readonly commits: number }): void;
  traceDataLayer(data: DataLayer): DataLayer;
  /** Records a span for each request. Must be called before routes are added. */
  addRequestSpans(app: FastifyInstance): void;
  /** See `addRequestContext`. */
  addRequestContext(app: FastifyInstance): void;
  /** Returns the trace id of a request, or undefined if the request has no span. */
  traceIdOf(request: FastifyRequest): string | undefined;
  /** See `tracedExecution`. */
  traceOperation: <Rest extends readonly unknown[], T>(
    execute: (request: FastifyRequest, ...rest: Rest) => Promise<T>,
  ) => (request: FastifyRequest, ...rest: Rest) => Promise<T>;
};

/** Returns the functions that record spans with the SDK that is loaded. */
export function createTracing(version: string): Tracing {
  const tracer = trace.getTracer('paw-gateway', version);
  let lastSync: EndedSync | undefined;
  return {
    traceDatabase: (database, url) =>
      tracedDatabase(tracer, database, connectionAttributes(url), () => lastSync),
    observeSync({ seconds, commits }) {
      const endMs = performance.now();
      lastSync = { startMs: endMs - seconds * 1000, endMs, commits };
    },
    traceDataLayer: (data) => tracedDataLayer(tracer, data),
    addRequestSpans: (app) => addRequestSpans(app, tracer),
    addRequestContext,
    traceIdOf,
    traceOperation: (execute) => tracedExecution(tracer, execute),
  };
}
