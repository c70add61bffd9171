import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyBaseLogger } from 'fastify';
import { malformedRequest } from '../../http/errors/error-responses.ts';
import { ByteCache } from '../../model/byte-cache.ts';
import { ApiError, ConfigError } from '../../model/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../model/fields/json.ts';
import type { GraphqlContext } from '../context.ts';

/** How documents that are not in the manifest are treated: logged and executed, executed, or refused. */
type TrustedDocumentsMode = 'log' | 'prefer' | 'require';

type Manifest = ReadonlyMap<string, string>;

/**
 * Returns the parameters of a GraphQL request, from its body or its query string, with the text of the document instead
 * of its id. Parameters that contain the text are unchanged.
 *
 * @throws INVALID_ARGUMENT if it has several ids, or if the document is not in the manifest, and the mode or the kind of id
 *   requires it
 */
export type ResolveDocument = (
  parameters: JsonObject,
  context: Pick<GraphqlContext, 'client' | 'isAuthenticated'>,
) => JsonObject;

// `documentId` is the name in a proposed appendix of GraphQL over HTTP, which is not in the released text. Clients of
// Relay often use the others.
const ID_PARAMETERS = ['documentId', 'doc_id', 'id'];

const APOLLO_FORMAT = 'apollo-persisted-query-manifest';

// A document that is not in the manifest is logged once, unless more than 1,000 others were logged since.
const MAX_LOGGED_BYTES = 400_000;

/** Reads the manifest in a file. @throws ConfigError if it can't be used */
export function readTrustedDocuments(
  { file, mode }: { readonly file: string; readonly mode: TrustedDocumentsMode },
  logger: Pick<FastifyBaseLogger, 'info'>,
): ResolveDocument {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError(`PAW_TRUSTED_DOCUMENTS must be a readable file: ${file}.`);
  }
  const manifest = parseManifest(text);
  if (manifest === undefined) {
    throw new ConfigError(`PAW_TRUSTED_DOCUMENTS must be an Apollo or Relay manifest: ${file}.`);
  }
  logger.info({ documents: manifest.size, mode }, 'read the trusted documents');
  return trustedDocuments(manifest, mode, logger);
}

/** Parses an Apollo or Relay manifest. Returns undefined if it is neither. */
export function parseManifest(text: string): Manifest | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const entries = 'format' in value ? apolloEntries(value) : Object.entries(value);
  const isValid = entries?.every((entry) => entry.every((part) => typeof part === 'string' && part !== ''));
  return isValid ? new Map(entries as [string, string][]) : undefined;
}

function apolloEntries({ format, version, operations }: JsonObject): unknown[][] | undefined {
  if (format !== APOLLO_FORMAT || version !== 1 || !Array.isArray(operations)) return undefined;
  return operations.map((operation) =>
    isJsonObject(operation) ? [operation['id'], operation['body']] : [undefined],
  );
}

function trustedDocuments(
  manifest: Manifest,
  mode: TrustedDocumentsMode,
  logger: Pick<FastifyBaseLogger, 'info'>,
): ResolveDocument {
  const texts = new Set(manifest.values());
  const logged = new ByteCache<'logged'>(MAX_LOGGED_BYTES);

  function logUnlisted(query: string, { operationName }: JsonObject, requestId: string): void {
    const sha256 = hash('sha256', query);
    if (logged.get(sha256) !== undefined) return;
    logged.set(sha256, 'logged');
    // The document itself can contain secrets.
    const name = typeof operationName === 'string' && /^\w{1,100}$/.test(operationName) && { operationName };
    logger.info({ reqId: requestId, sha256, ...name }, 'a document is not in the manifest');
  }

  return (parameters, { client, isAuthenticated }) => {
    const { query, extensions } = parameters;
    if (typeof query === 'string' && query !== '') {
      if (texts.has(query)) return parameters;
      if (mode === 'require') throw new ApiError('DOCUMENT_NOT_TRUSTED');
      if (mode === 'log' && isAuthenticated) logUnlisted(query, parameters, client.requestId);
      return parameters;
    }
    const named = ID_PARAMETERS.map((name) => parameters[name]).filter(isId);
    const all = [...named, apolloHashOf(extensions)].filter(isId);
    const [id, ...others] = new Set(all.map((each) => each.replace(/^sha256:/, '')));
    if (id === undefined) return parameters;
    // It would not be clear which of the documents is executed.
    if (others.length > 0) {
      throw malformedRequest(
        'Send one id of a document: documentId, doc_id, id or a hash. Those of the request differ.',
      );
    }
    const document = manifest.get(id) ?? manifest.get(`sha256:${id}`);
    if (document !== undefined) return withDocument(parameters, document);
    // Apollo Server looks for the hash of an automatic persisted query.
    if (named.length === 0 && mode !== 'require') return parameters;
    throw new ApiError('DOCUMENT_NOT_FOUND');
  };
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function apolloHashOf(extensions: unknown): unknown {
  const persistedQuery = isJsonObject(extensions) ? extensions['persistedQuery'] : undefined;
  return isJsonObject(persistedQuery) ? persistedQuery['sha256Hash'] : undefined;
}

/** Replaces the id by the text. Apollo Server would reject an id that is not the hash of the text. */
function withDocument({ extensions, ...parameters }: JsonObject, query: string): JsonObject {
  const others = Object.entries(parameters).filter(([name]) => !ID_PARAMETERS.includes(name));
  const { persistedQuery: _, ...rest } = isJsonObject(extensions) ? extensions : {};
  return { ...Object.fromEntries(others), query, ...(Object.keys(rest).length > 0 && { extensions: rest }) };
}
