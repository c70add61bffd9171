/**
 * Builds the browser assets: bundles and compresses the scripts and styles of this folder, and renders the documentation,
 * into `src/pages/assets/`, if they are out of date.
 */
import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { BuildOptions, OutputFile, Plugin } from 'esbuild';
import { renderDocs } from './documentation/render.ts';

const ROOT = join(import.meta.dirname, '..');

const ASSETS = join(ROOT, 'src/pages/assets');

// The assets are moved from here when they are complete.
const BUNDLE = join(ROOT, 'node_modules/.cache/browser-assets');

// Outside of the package, a large file is compressed in a sixth of the time of the maximum, for 8 % more bytes: the first
// `npm run demo` waits for it.
const BROTLI_QUALITY = 9;

const LARGE_BYTES = 100_000;

// These have their own bundles, so they can be served without the files of the others.
const CONSOLE = { console: './app/main.tsx' };
const DOCUMENTATION = { documentation: './documentation/search.ts' };

const ENTRIES = {
  graphiql: './explorers/graphiql.ts',
  reference: './explorers/reference.ts',
  'editor-worker': 'monaco-editor/esm/vs/editor/editor.worker.js',
  'json-worker': 'monaco-editor/esm/vs/language/json/json.worker.js',
  'graphql-worker': 'monaco-graphql/esm/graphql.worker.js',
};

const MAX_STYLE_LENGTH = 300_000;

// GraphiQL's stylesheet already contains the styles of the editor. Most of its bytes are fonts for texts, which the system has.
const STYLES_ONCE: Plugin = {
  name: 'styles-once',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]monaco-editor[\\/].*\.css$/ }, () => ({ contents: '', loader: 'empty' }));
    onLoad({ filter: /[\\/]graphiql[\\/]dist[\\/]style\.css$/ }, async ({ path }) => {
      const contents = (await readFile(path, 'utf8'))
        .replaceAll(/@font-face ?\{[^}]*font\/woff[^}]*\}/g, '')
        .replaceAll(/"(Roboto|Fira Code)"/g, (_, name) => (name === 'Roboto' ? 'system-ui' : 'ui-monospace'));
      if (contents.length > MAX_STYLE_LENGTH) throw new Error("GraphiQL's stylesheet still contains fonts.");
      return { contents, loader: 'css' };
    });
  },
};

// The script of Scalar is copied unchanged. Its Fastify plugin contains it as a response: the package of its source
// takes 290 MB with its dependencies.
const SCALAR: Plugin = {
  name: 'scalar',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^scalar\.js$/ }, ({ path }) => ({ path, namespace: 'scalar' }));
    onLoad({ filter: /./, namespace: 'scalar' }, async () => {
      const [{ fastify }, { default: scalar }] = await Promise.all([
        import('fastify'),
        import('@scalar/fastify-api-reference'),
      ]);
      const app = fastify();
      await app.register(scalar, { configuration: { url: 'openapi.json' } });
      return { contents: (await app.inject('/reference/js/scalar.js')).rawPayload, loader: 'copy' };
    });
  },
};

if (import.meta.main) {
  await buildAssets().catch((error: NodeJS.ErrnoException) => {
    // Without development dependencies, the server runs without the console, GraphiQL and the REST reference, and has the
    // documentation as Markdown only.
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  });
}

/** Builds the assets that are missing or out of date. @param isForPackage builds them anew, and as small as possible */
export async function buildAssets(isForPackage = false): Promise<void> {
  const inputs = [
    'package-lock.json',
    'console/**/*',
    'src/pages/static/*',
    'src/pages/*.ts',
    '{docs/*,SECURITY,CHANGELOG}.md',
  ];
  const sources = globSync(inputs, { cwd: ROOT, exclude: ['console/node_modules'] });
  const newest = Math.max(...sources.map((path) => statSync(join(ROOT, path)).mtimeMs));
  if (!isForPackage && existsSync(ASSETS) && statSync(ASSETS).mtimeMs > newest) return;
  const { build } = await import('esbuild');
  rmSync(BUNDLE, { recursive: true, force: true });
  const options = {
    absWorkingDir: import.meta.dirname,
    entryNames: '[name]-[hash]',
    chunkNames: 'chunk-[name]-[hash]',
    outdir: BUNDLE,
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    write: false,
    logLevel: 'warning',
    plugins: [STYLES_ONCE, SCALAR],
  } satisfies BuildOptions;
  const sections = await renderDocs(join(BUNDLE, 'docs'));
  const define = { SECTIONS: JSON.stringify(JSON.stringify(sections)) };
  const bundles = [
    await build({ ...options, entryPoints: ENTRIES, splitting: true }),
    await build({ ...options, entryPoints: CONSOLE }),
    await build({ ...options, entryPoints: DOCUMENTATION, define }),
  ];
  mkdirSync(BUNDLE, { recursive: true });
  const files = bundles.flatMap(({ outputFiles }) => outputFiles);
  await Promise.all(files.map((file) => writeCompressed(file, isForPackage)));
  rmSync(ASSETS, { recursive: true, force: true });
  renameSync(BUNDLE, ASSETS);
}

/** Writes a file in both codings, and not uncompressed: the server decompresses it for the rare client that accepts neither. */
async function writeCompressed({ path, contents }: OutputFile, isForPackage: boolean): Promise<void> {
  const quality =
    isForPackage || contents.length < LARGE_BYTES ? constants.BROTLI_MAX_QUALITY : BROTLI_QUALITY;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
  await Promise.all([
    promisify(brotliCompress)(contents, { params }).then((bytes) => writeFile(`${path}.br`, bytes)),
    promisify(gzip)(contents, { level: constants.Z_BEST_COMPRESSION }).then((bytes) =>
      writeFile(`${path}.gz`, bytes),
    ),
  ]);
}
