import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { pathNotFound } from '../http/http-error.ts';

/** What the pages load, by file name. The names change with the contents. */
export type Bundle = ReadonlyMap<string, Uint8Array>;

// What is here is optional to install.
const PACKAGES = ['esbuild', 'graphiql', 'react', 'react-dom', 'swagger-ui-dist'];

const ENTRIES = {
  graphiql: './graphiql.ts',
  docs: './docs.ts',
  'editor-worker': 'monaco-editor/esm/vs/editor/editor.worker.js',
  'json-worker': 'monaco-editor/esm/vs/language/json/json.worker.js',
  'graphql-worker': 'monaco-graphql/esm/graphql.worker.js',
};

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

let bundling: Promise<Bundle> | undefined;

/** The packages that the bundle needs and that are not installed. */
export function missingPackages(): readonly string[] {
  return PACKAGES.filter((name) => {
    try {
      import.meta.resolve(name);
      return false;
    } catch {
      return true;
    }
  });
}

/** Adds the files of the bundle. */
export function addAssets(app: FastifyInstance): void {
  app.get<{ Params: { file: string } }>('/assets/:file', async ({ params: { file } }, reply) => {
    const content = (await loadBundle()).get(file);
    if (content === undefined) throw pathNotFound();
    reply
      .type(TYPES[extname(file)] ?? 'application/octet-stream')
      .header('cache-control', 'public, max-age=31536000, immutable');
    return content;
  });
}

/**
 * Finds the path of a file of the bundle, relative to the pages.
 *
 * @param entry the name of one of the entry points
 */
export async function assetPath(entry: keyof typeof ENTRIES, extension: '.js' | '.css'): Promise<string> {
  const names = (await loadBundle()).keys();
  const file = names.find((name) => name.startsWith(`${entry}-`) && extname(name) === extension);
  return `./assets/${file}`;
}

/** Makes the bundle when it is first asked for, once in a process. */
function loadBundle(): Promise<Bundle> {
  bundling ??= makeBundle().catch((error: unknown) => {
    bundling = undefined;
    throw error;
  });
  return bundling;
}

async function makeBundle(): Promise<Bundle> {
  const { build, stop } = await import('esbuild');
  try {
    const { outputFiles } = await build({
      absWorkingDir: fileURLToPath(new URL('./browser/', import.meta.url)),
      entryPoints: ENTRIES,
      entryNames: '[name]-[hash]',
      chunkNames: 'chunk-[name]-[hash]',
      outdir: 'assets',
      bundle: true,
      splitting: true,
      format: 'esm',
      minify: true,
      write: false,
      logLevel: 'silent',
      plugins: [
        {
          name: 'styles-once',
          setup({ onLoad }) {
            // GraphiQL's own style holds the editor's.
            onLoad({ filter: /[\\/]monaco-editor[\\/].*\.css$/ }, () => ({ contents: '', loader: 'empty' }));
          },
        },
      ],
    });
    return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  } finally {
    // It runs as a process of its own.
    await stop();
  }
}
