import { existsSync, readdirSync } from 'node:fs';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { varyBy } from '../http/request/accept.ts';
import { ApiError, ConfigError } from '../model/errors.ts';
import { readStaticFile, reserveMemory } from './static-file.ts';

// The output folder of build.ts. File names contain a hash of the content. Each file is there once per content coding.
const FOLDER = new URL('assets/', import.meta.url);

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

// The content codings, starting with the one with the smallest files.
const CODINGS = [
  { coding: 'br', extension: '.br' },
  { coding: 'gzip', extension: '.gz' },
] as const;

/** Returns whether the browser assets of the console, GraphiQL, the REST reference and the documentation have been built. */
export function hasAssets(): boolean {
  return existsSync(FOLDER);
}

/** Returns whether to serve pages that need the browser assets. The default is to serve them if these have been built. */
export function shouldServe(name: string, setting: boolean | undefined): boolean {
  if (setting === true && !hasAssets()) {
    throw new ConfigError(`${name}=on needs the browser assets. Run "npm run build".`);
  }
  return setting ?? hasAssets();
}

/** Adds the route of the browser assets, for the documentation and for the pages that are served. */
export function addAssets(
  app: FastifyInstance,
  { console, explorers }: { readonly console: boolean; readonly explorers: boolean },
): void {
  const entries = ['documentation-', ...(console ? ['console-'] : [])];
  const isServed = (file: string) => explorers || entries.some((entry) => file.startsWith(entry));
  const files = new Set(assetFiles().filter(isServed));
  app.get<{ Params: { file: string } }>('/assets/:file', async (request, reply) => {
    const { file } = request.params;
    if (!files.has(file)) throw new ApiError('PATH_NOT_FOUND');
    const accepted = new Negotiator(request).encodings(CODINGS.map(({ coding }) => coding));
    const best = CODINGS.find(({ coding }) => accepted.includes(coding));
    const stored = await readStaticFile(request, new URL(file + (best?.extension ?? '.gz'), FOLDER), 1);
    const content = best ? stored : await decompressed(request, stored);
    if (best) reply.header('content-encoding', best.coding);
    varyBy(reply, 'accept-encoding');
    return reply
      .type(MEDIA_TYPES[extname(file)] ?? 'application/octet-stream')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .send(content);
  });
}

/** Decompresses a file of gzip, after the memory of the result was counted. @throws UNAVAILABLE if it is not available */
async function decompressed(request: FastifyRequest, stored: Buffer): Promise<Buffer> {
  // Source: RFC 1952, section 2.3.1 (ISIZE).
  const size = stored.readUInt32LE(stored.length - 4);
  reserveMemory(request, size);
  // In one piece, which is not copied.
  return promisify(gunzip)(stored, { chunkSize: size + 1 });
}

/** Returns a function that finds the relative URL of an asset by the name of its entry point and its extension. */
export function assetPaths(): (entry: string, extension: '.js' | '.css') => string {
  const files = assetFiles();
  return (entry, extension) => {
    const file = files.find((name) => name.startsWith(`${entry}-`) && extname(name) === extension);
    if (file === undefined) throw new Error(`The browser asset ${entry}${extension} is missing.`);
    return `./assets/${file}`;
  };
}

function assetFiles(): readonly string[] {
  return readdirSync(FOLDER).flatMap((name) => (name.endsWith('.gz') ? name.slice(0, -'.gz'.length) : []));
}
