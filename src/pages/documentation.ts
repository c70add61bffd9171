import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { prefersHtml } from '../http/accept.ts';
import { ApiError } from '../model/errors.ts';
import { assetPaths } from './assets.ts';
import { CODE_BLOCKS, hashSource, readStyle, sendPage } from './html.ts';
import { readStaticFile } from './static-file.ts';

const FOLDER = new URL('../../docs/', import.meta.url);

// The pages as HTML, which build.ts has rendered, and the list of them.
const RENDERED = new URL('assets/docs/', import.meta.url);
const LIST = 'index.html';

/** The URL of the gateway in `llms.txt`. */
const EXAMPLE_URL = 'http://127.0.0.1:4000';

// Links to files of the repository, which the server does not serve. Their text remains.
const LINK_TO_FILE = /\[([^[\]]*)\]\(\.\.\/[^)]*\)/g;

// The bytes of a file, and two texts made from it with two bytes per character.
const MEMORY_PER_BYTE = 5;

// Where the pages are that were merged into others.
const MOVED: ReadonlyMap<string, string> = new Map([
  ['behind-a-gateway.md', 'clients.md#behind-a-graphql-gateway'],
  ['citus.md', 'postgresql.md#citus'],
  ['kubernetes.md', 'production.md#kubernetes'],
  ['memory.md', 'running.md#memory'],
  ['proxies.md', 'production.md#reverse-proxies'],
  ['scaling.md', 'production.md#scaling'],
  ['sqlite.md', 'running.md#sqlite'],
  ['testing.md', 'clients.md#tests-of-an-integration'],
  ['tokens.md', 'troubleshooting.md#the-account-token-has-ended'],
  ['traces.md', 'monitoring.md#traces'],
  ['trusted-documents.md', 'running.md#trusted-documents'],
]);

const STYLE = readStyle('content') + readStyle('documentation');

const SCRIPT = CODE_BLOCKS + readFileSync(new URL('./static/search-field.js', import.meta.url), 'utf8');

// The search is a file of the gateway.
const POLICY = { 'script-src': `${hashSource(SCRIPT)} 'self'` };

/**
 * Adds the documentation: `/llms.txt`, and the pages of `docs/`, as Markdown, and as HTML for browsers, with the list of them
 * at `/docs`. They need no token. Source: llmstxt.org.
 *
 * @param publicUrl returns the public URL of the gateway, without a trailing slash
 */
export function addDocumentation(app: FastifyInstance, publicUrl: () => string): void {
  const pages = new Set(readdirSync(FOLDER).filter((file) => file.endsWith('.md')));
  const rendered = new Set(existsSync(RENDERED) ? readdirSync(RENDERED) : []);
  const list = rendered.has(LIST) ? readFileSync(new URL(LIST, RENDERED), 'utf8') : '';

  app.get('/llms.txt', async (request, reply) => {
    const text = await readText(request, 'llms.txt');
    return send(reply, 'text/plain', text.replaceAll(EXAMPLE_URL, publicUrl()));
  });

  app.get<{ Params: { page: string } }>('/docs/:page', async (request, reply) => {
    const { page } = request.params;
    const target = MOVED.get(page) ?? (pages.has(`${page}.md`) ? `${page}.md` : undefined);
    if (target !== undefined) return reply.redirect(target, 308);
    if (!pages.has(page)) throw new ApiError('PATH_NOT_FOUND');
    reply.header('vary', [reply.getHeader('vary') ?? [], 'accept'].flat().join(', '));
    if (rendered.has(`${page}.html`) && prefersHtml(request.headers.accept, ['text/markdown'])) {
      const html = await readText(request, `${page}.html`, RENDERED);
      const [, title = page] = /<h1[^>]*>([^<]*)/.exec(html) ?? [];
      return sendHtml(reply, '../', title, html);
    }
    return send(reply, 'text/markdown', (await readText(request, page)).replace(LINK_TO_FILE, '$1'));
  });

  if (list === '') return;
  const main = `<div class="plain list"><h1>Documentation</h1>${list}</div>`;
  app.get('/docs/', async (_request, reply) => reply.redirect('../docs', 308));
  app.get('/docs', async (_request, reply) => sendHtml(reply, './', 'Documentation', main));
}

function sendHtml(reply: FastifyReply, root: string, title: string, content: string): FastifyReply {
  const script = root + assetPaths()('documentation', '.js').slice('./'.length);
  return sendPage(reply, {
    path: '/docs',
    root,
    title: `${title} · PAW gateway`,
    style: STYLE,
    controls: `<div class="search" role="search">
<input type="search" role="combobox" aria-label="Search the documentation" aria-controls="found" aria-expanded="false"
aria-autocomplete="list" autocomplete="off" spellcheck="false" placeholder="Search the docs" data-script="${script}">
<kbd aria-hidden="true">/</kbd>
<div class="results" hidden><div id="found" role="listbox" aria-label="Sections"></div><p role="status"></p></div>
</div>`,
    main: `${content}\n<script>${SCRIPT}</script>`,
    policy: POLICY,
  });
}

async function readText(request: FastifyRequest, file: string, folder = FOLDER): Promise<string> {
  return String(await readStaticFile(request, new URL(file, folder), MEMORY_PER_BYTE));
}

function send(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply
    .type(`${type}; charset=utf-8`)
    .header('cache-control', 'public, max-age=300')
    .header('access-control-allow-origin', '*')
    .send(text);
}
