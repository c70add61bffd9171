import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { prefersHtml, varyBy } from '../http/request/accept.ts';
import { sendDocument } from '../http/server/public-document.ts';
import { ApiError } from '../model/errors.ts';
import { assetPaths } from './assets.ts';
import { hashSource, type Page, readStyle, sendPage } from './html.ts';
import { addressOf, MOVED } from './moved-pages.ts';
import { ROOT_PAGES, servedLink, TABLE_WIDTHS } from './rendered-docs.ts';
import { readStaticFile } from './static-file.ts';

const ROOT = new URL('../../', import.meta.url);

// The pages as HTML, which build.ts has rendered, and the list of them.
const RENDERED = new URL('assets/docs/', import.meta.url);
const LIST = 'index.html';

/** The URL of the gateway in `llms.txt`. */
const EXAMPLE_URL = 'http://127.0.0.1:4000';

// A link to a file of the repository.
const LINK = /\[([^[\]]*)\]\(((?:\.\.\/|[\w/-]+\.md\b)[^)]*)\)/g;

// The bytes of a file, and two texts made from it with two bytes per character.
const MEMORY_PER_BYTE = 5;

// The style makes a table rows of pairs in less than 40 em.
const WIDTHS = TABLE_WIDTHS.map((width) => `.needs-${width} { font-size: ${width / 40}rem; }\n`);

const STYLE = (['content', 'search', 'documentation'] as const).map(readStyle).concat(WIDTHS).join('');

const SCRIPT = ['code-blocks', 'search-field', 'moved-sections']
  .map((name) => readFileSync(new URL(`./static/${name}.js`, import.meta.url), 'utf8'))
  .join('');

// The search is a file of the gateway.
const POLICY = { 'script-src': `${hashSource(SCRIPT)} 'self'` };

/**
 * Adds the documentation: `/llms.txt`, and the pages of `docs/`, as Markdown, and as HTML for browsers, with the list of them
 * at `/docs`. An old address leads to the new one. They need no token. Source: llmstxt.org.
 *
 * @param publicUrl returns the public URL of the gateway, without a trailing slash
 */
export function addDocumentation(app: FastifyInstance, publicUrl: () => string): void {
  const docs = readdirSync(new URL('docs/', ROOT)).filter((file) => file.endsWith('.md'));
  const pages = new Map([
    ...docs.map((page) => [page, `docs/${page}`] as const),
    ...Object.entries(ROOT_PAGES),
  ]);
  const rendered = new Set(existsSync(RENDERED) ? readdirSync(RENDERED) : []);
  const list = rendered.has(LIST) ? readFileSync(new URL(LIST, RENDERED), 'utf8') : '';
  const script = list && assetPaths()('documentation', '.js');

  app.get('/llms.txt', async (request, reply) => {
    const text = await readText(request, 'docs/llms.txt');
    return sendDocument(reply, 'text/plain; charset=utf-8', text.replaceAll(EXAMPLE_URL, publicUrl()));
  });

  app.get<{ Params: { page: string } }>('/docs/:page', async (request, reply) => {
    const { page } = request.params;
    if (pages.has(`${page}.md`)) return reply.redirect(`${page}.md`, 308);
    const file = pages.get(page);
    if (file === undefined) {
      const place = MOVED.get(page.replace(/\.md$/, ''));
      if (place === undefined) throw new ApiError('PATH_NOT_FOUND');
      return reply.redirect(addressOf(place), 308);
    }
    varyBy(reply, 'accept');
    if (rendered.has(`${page}.html`) && prefersHtml(request.headers.accept, ['text/markdown'])) {
      const html = await readText(request, `${page}.html`, RENDERED);
      const [, title = page] = /<h1[^>]*>([^<]*)/.exec(html) ?? [];
      return sendPage(reply, pageOf({ root: '../', title, content: html, script }));
    }
    const markdown = (await readText(request, file)).replace(LINK, (_, text, href) => {
      const address = servedLink(href, file);
      return address === undefined ? text : `[${text}](${address})`;
    });
    return sendDocument(reply, 'text/markdown; charset=utf-8', markdown);
  });

  if (list === '') return;
  const content = `<div class="plain list"><h1>Documentation</h1>${list}</div>`;
  const page = pageOf({ root: './', title: 'Documentation', content, script });
  app.get('/docs/', async (_request, reply) => reply.redirect('../docs', 308));
  app.get('/docs', async (_request, reply) => sendPage(reply, page));
}

type Content = {
  readonly root: string;
  readonly title: string;
  readonly content: string;
  /** The URL of the search, relative to the start page. */
  readonly script: string;
};

function pageOf({ root, title, content, script }: Content): Page {
  return {
    path: '/docs',
    root,
    title: `${title} · PAW gateway`,
    style: STYLE,
    controls: `<div class="search" role="search">
<input type="search" role="combobox" aria-label="Search the documentation" aria-controls="found" aria-expanded="false"
aria-autocomplete="list" autocomplete="off" maxlength="100" spellcheck="false" aria-keyshortcuts="/" placeholder="Search the docs" data-script="${script.replace('./', root)}">
<kbd aria-hidden="true">/</kbd>
<div class="options" hidden><div id="found" role="listbox" aria-label="Sections"></div><p role="status"></p></div>
</div>`,
    main: `${content}\n<script>${SCRIPT}</script>`,
    policy: POLICY,
  };
}

async function readText(request: FastifyRequest, file: string, folder = ROOT): Promise<string> {
  return String(await readStaticFile(request, new URL(file, folder), MEMORY_PER_BYTE));
}
