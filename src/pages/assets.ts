import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pathNotFound } from '../http/http-error.ts';

// The output folder of build.ts. File names contain a hash of the content.
const FOLDER = new URL('assets/', import.meta.url);

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** Returns whether the browser assets of the console, GraphiQL and Swagger UI have been built. */
export function hasAssets(): boolean {
  return existsSync(FOLDER);
}

/** Adds the route of the browser assets. @param explorers whether also those of GraphiQL and Swagger UI */
export function addAssets(app: FastifyInstance, explorers: boolean): void {
  const files = new Set(readdirSync(FOLDER).filter((file) => explorers || file.startsWith('console-')));
  app.get<{ Params: { file: string } }>('/assets/:file', async ({ params: { file } }, reply) => {
    if (!files.has(file)) throw pathNotFound();
    reply
      .type(MEDIA_TYPES[extname(file)] ?? 'application/octet-stream')
      .header('cache-control', 'public, max-age=31536000, immutable');
    return readFile(new URL(file, FOLDER));
  });
}

/** Returns a function that finds the relative URL of an asset by the name of its entry point and its extension. */
export function assetPaths(): (entry: string, extension: '.js' | '.css') => string {
  const files = readdirSync(FOLDER);
  return (entry, extension) => {
    const file = files.find((name) => name.startsWith(`${entry}-`) && extname(name) === extension);
    if (file === undefined) throw new Error(`The browser asset ${entry}${extension} is missing.`);
    return `./assets/${file}`;
  };
}
