import { AsyncLocalStorage } from 'node:async_hooks';
import { ApolloServer, type HTTPGraphQLRequest } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { FastifyBaseLogger } from 'fastify';
import {
  type DocumentNode,
  type FormattedExecutionResult,
  type GraphQLFormattedError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
} from 'graphql';
import { Keyv } from 'keyv';
import type { LogError } from '../http/log/error-log.ts';
import { ByteCache, countBytes } from '../model/byte-cache.ts';
import type { GraphqlContext } from './context.ts';
import { countDocumentBytes, RepeatedDocuments } from './fast-path/repeated-documents.ts';
import { RepeatedMutations } from './fast-path/repeated-mutations.ts';
import { formatGraphqlError, withCode } from './graphql-errors.ts';
import { Idempotency } from './idempotency.ts';
import { CSRF_HEADERS } from './over-http/apollo-request.ts';
import { type Execution, graphqlOperation } from './response.ts';
import { limitDocument, MAX_DOCUMENT_TOKENS } from './rules/document-limits.ts';
import { rejectSubgraphDocument, requireToken } from './rules/documents-without-token.ts';
import { InputViolations } from './rules/input-violations.ts';
import { LargeResponses } from './rules/large-responses.ts';
import { RequestChecks } from './rules/request-checks.ts';

const MAX_DOCUMENT_CACHE_BYTES = 10_000_000;

const MAX_PERSISTED_QUERY_BYTES = 4_000_000;

const MAX_VALIDATION_ERRORS = 20;

// Apollo Server adds those that are not disabled.
const DISABLED_PLUGINS = [
  ApolloServerPluginLandingPageDisabled(),
  ApolloServerPluginCacheControlDisabled(),
  ApolloServerPluginInlineTraceDisabled(),
  ApolloServerPluginSchemaReportingDisabled(),
  ApolloServerPluginUsageReportingDisabled(),
];

export type GraphqlServerSettings = {
  /** Whether clients can read the schema, by introspection and in the errors of validation. */
  readonly introspection: boolean;
  readonly logger: FastifyBaseLogger;
  readonly logError: LogError;
};

/** The execution of a request. */
type Run = { readonly context: GraphqlContext; result: FormattedExecutionResult };

export class GraphqlServer {
  // The formatting functions, the caches and the validation rules of Apollo Server have no access to the request.
  readonly #runs = new AsyncLocalStorage<Run>();
  readonly #violations: InputViolations;
  readonly #logError: LogError;
  readonly #server: ApolloServer<GraphqlContext>;
  /** The operations that are executed without Apollo Server. */
  readonly repeated: RepeatedDocuments;

  constructor(schema: GraphQLSchema, settings: GraphqlServerSettings) {
    const { introspection, logger, logError } = settings;
    const largeResponses = new LargeResponses();
    this.#logError = logError;
    this.#violations = new InputViolations(schema, introspection);
    const checks = new RequestChecks(schema, this.#violations);
    const idempotency = new Idempotency(schema, logError);
    const mutations = new RepeatedMutations(schema, checks, idempotency, (errors, document, context) => {
      this.#violations.locate(document, errors);
      return errors.map((error) => this.#formatError(withCode(error), error, context));
    });
    this.repeated = new RepeatedDocuments(schema, checks, largeResponses, mutations);
    this.#server = new ApolloServer<GraphqlContext>({
      schema,
      // The rule below has its own message.
      introspection: true,
      hideSchemaDetailsFromClientErrors: !introspection,
      includeStacktraceInErrorResponses: false,
      stopOnTerminationSignals: false,
      logger,
      parseOptions: { maxTokens: MAX_DOCUMENT_TOKENS },
      documentStore: this.#documentCache(largeResponses),
      persistedQueries: { cache: this.#persistedQueryCache() },
      validationOptions: { maxErrors: MAX_VALIDATION_ERRORS },
      validationRules: [
        requireToken(() => this.#context),
        limitDocument(() => this.#isAuthenticated),
        ...(introspection ? [] : [NoSchemaIntrospectionCustomRule, rejectSubgraphDocument]),
      ],
      csrfPrevention: { requestHeaders: [...CSRF_HEADERS] },
      stringifyResult: (result) => this.#takeResult(result),
      formatError: (formatted, thrown) => this.#formatError(formatted, thrown, this.#context),
      plugins: [checks.plugin(), idempotency.plugin(), this.repeated.plugin(), ...DISABLED_PLUGINS],
    });
  }

  start(): Promise<void> {
    return this.#server.start();
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  async execute(httpGraphQLRequest: HTTPGraphQLRequest, context: GraphqlContext): Promise<Execution> {
    const run: Run = { context, result: {} };
    const { state } = context;
    try {
      const head = await this.#runs.run(run, () =>
        this.#server.executeHTTPGraphQLRequest({ httpGraphQLRequest, context: async () => context }),
      );
      const { operation, isRepeated = false } = state;
      return {
        operation: operation && graphqlOperation(operation, isRepeated),
        result: run.result,
        head,
      };
    } finally {
      await state.firstRequest?.undo();
    }
  }

  get #context(): GraphqlContext | undefined {
    return this.#runs.getStore()?.context;
  }

  /** Takes the result that Apollo Server would write as JSON. */
  #takeResult(result: FormattedExecutionResult): string {
    const run = this.#runs.getStore();
    if (run !== undefined) run.result = result;
    return '';
  }

  #formatError(
    formatted: GraphQLFormattedError,
    thrown: unknown,
    context: GraphqlContext | undefined,
  ): GraphQLFormattedError {
    // A field of the result of a mutation has an error after the mutation.
    const isAfterMutation = (formatted.path?.length ?? 0) > 1;
    const hasChanged = isAfterMutation && (context?.mayHaveChanged ?? false);
    const requestId = context?.client.requestId ?? '';
    return formatGraphqlError({ formatted, thrown, hasChanged, requestId }, this.#violations, (logged) =>
      this.#logError(logged, requestId),
    );
  }

  // Only requests with a valid token add to the two caches, so others cannot displace their entries.
  #documentCache(largeResponses: LargeResponses) {
    const cache = new ByteCache<DocumentNode>(MAX_DOCUMENT_CACHE_BYTES, countDocumentBytes);
    return {
      // A document without a valid token is validated each time, because a rule of the validation refuses it.
      get: async (key: string) => {
        const context = this.#context;
        if (!context?.isAuthenticated) return undefined;
        const document = cache.get(key);
        if (document !== undefined) return document;
        await largeResponses.wait(context);
        // Another request may have parsed it in the meantime.
        return cache.get(key);
      },
      set: async (key: string, document: DocumentNode) => {
        if (this.#isAuthenticated) cache.set(key, document);
      },
      delete: async (key: string) => cache.delete(key),
    };
  }

  #persistedQueryCache() {
    const sizeOf = ({ value }: { readonly value: string }) => countBytes(value);
    const keyv = new Keyv<string>({ store: new ByteCache(MAX_PERSISTED_QUERY_BYTES, sizeOf) });
    return {
      get: (key: string) => keyv.get(key),
      set: async (key: string, query: string) => {
        if (this.#isAuthenticated) await keyv.set(key, query);
      },
      delete: (key: string) => keyv.delete(key),
    };
  }

  /** Whether a request with a valid token is being executed. */
  get #isAuthenticated(): boolean {
    return this.#context?.isAuthenticated ?? false;
  }
}
