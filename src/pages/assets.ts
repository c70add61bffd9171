import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pathNotFound } from '../http/http-error.ts';

// Made by build.ts. The names change with the contents.
const FOLDER = new URL('assets/', import.meta.url);

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** Whether what the explorers load in a browser has been built. */
export function hasAssets(): boolean {
  return existsSync(FOLDER);
}

/** Adds the files that the explorers load. */
export function addAssets(app: FastifyInstance): void {
  const files = new Set(readdirSync(FOLDER));
  app.get<{ Params: { file: string } }>('/assets/:file', async ({ params: { file } }, reply) => {
    if (!files.has(file)) throw pathNotFound();
    reply
      .type(MEDIA_TYPES[extname(file)] ?? 'application/octet-stream')
      .header('cache-control', 'public, max-age=31536000, immutable');
    return readFile(new URL(file, FOLDER));
  });
}

/** Makes the function that finds the path of a file, relative to the pages, by its entry point and extension. */
export function assetPaths(): (entry: string, extension: '.js' | '.css') => string {
  const files = readdirSync(FOLDER);
  return (entry, extension) => {
    const file = files.find((name) => name.startsWith(`${entry}-`) && extname(name) === extension);
    if (file === undefined) throw new Error(`The browser assets lack ${entry}${extension}.`);
    return `./assets/${file}`;
  };
}
