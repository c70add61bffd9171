/** Renders the documentation: for each page the HTML of its content, with the list of pages, its sections and its neighbours. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Renderer as MarkedRenderer, RendererObject, Token, Tokens } from 'marked';
import { escapeHtml } from '../../src/pages/html.ts';
import { addressOf, MOVED } from '../../src/pages/moved-pages.ts';
import { ROOT_PAGES, servedLink, TABLE_WIDTHS } from '../../src/pages/rendered-docs.ts';
import type { Section } from './sections.ts';

const ROOT = join(import.meta.dirname, '../..');

// The pages in the list, in its order.
const GROUPS = {
  'Start here': ['concepts', 'getting-started', 'use-case', 'faq'],
  Build: [
    ...['authentication', 'api', 'errors', 'specification', 'clients', 'browser', 'testing', 'federation'],
    'conformance',
  ],
  'Use the console': ['console'],
  Operate: [
    ...['running', 'production', 'deploy', 'commands', 'backup', 'monitoring', 'limits', 'postgresql'],
    'citus',
  ],
  Fix: ['troubleshooting'],
};

// These are neither in the list nor in the search.
const UNLISTED = ['decisions', 'benchmarks'];

// Other words that people type for a heading, in a comment below it, which GitHub does not show.
const ALSO = /^<!-- also: (.*) -->/;

// Fits a window of 320 pixels.
const MAX_NAME_LENGTH = 30;

// In a cell, these do not wrap.
const NAME_OR_WORD = /`[^`]{1,30}`|[^ ,]+/g;

// Next to names, a sentence needs a width, in rem, in which it can be read.
const MIN_SENTENCE_LENGTH = 40;
const SENTENCE_WIDTH = 11;

type Heading = {
  readonly depth: number;
  readonly id: string;
  readonly text: string;
  also: string;
};

type Page = {
  /** The name that it is served under. */
  readonly file: string;
  /** Undefined if the page is not in the list. */
  readonly group: string | undefined;
  /** HTML, as the title of a heading is not. */
  readonly title: string;
  readonly headings: readonly Heading[];
  readonly tokens: readonly Token[];
  readonly html: string;
};

/**
 * Writes each page of the documentation into a folder, and the list of all as `index.html`.
 *
 * @returns the sections of all pages, for the search
 */
export async function renderDocs(folder: string): Promise<readonly Section[]> {
  const { Marked, Renderer } = await import('marked');
  const render = (file: string, source = `docs/${file}`, group?: string): Page => {
    const headings: Heading[] = [];
    const marked = new Marked({ renderer: docsRenderer(Renderer, headings, source) });
    const tokens = marked.lexer(readFileSync(join(ROOT, source), 'utf8'));
    const html = marked.parser(tokens);
    return { file, group, title: escapeHtml(headings[0]?.text ?? file), headings, tokens, html };
  };
  const pages = Object.entries(GROUPS).flatMap(([group, names]) =>
    names.map((name) => render(`${name}.md`, undefined, group)),
  );
  const unlisted = [
    ...UNLISTED.map((name) => render(`${name}.md`)),
    ...Object.entries(ROOT_PAGES).map(([name, source]) => render(name, source)),
  ];
  mkdirSync(folder, { recursive: true });
  for (const page of [...pages, ...unlisted])
    writeFileSync(join(folder, `${page.file}.html`), frame(page, pages));
  const list = listOf(pages, ({ file, title, html }) => {
    const [, lead = ''] = /<\/h1>\s*<p>(.+?)<\/p>/s.exec(html) ?? [];
    const [sentence] = lead.replace(/<\/?a\b[^>]*>/g, '').split(/(?<=\.)\s/);
    return `<a href="docs/${file}">${title}</a><p>${sentence}</p>`;
  });
  writeFileSync(join(folder, 'index.html'), list);
  return pages.flatMap(sectionsOf);
}

/** Returns the sections of a page with their texts. A section within another one has both titles. */
function sectionsOf({ file, headings, tokens }: Page): readonly Section[] {
  const texts: string[] = [];
  for (const token of tokens) {
    if (token.type === 'heading') texts.push('');
    else texts.push(`${texts.pop() ?? ''} ${textOf(token)}`);
  }
  const page = headings[0]?.text ?? '';
  let parent = '';
  return headings.map(({ depth, id, text: heading, also }, position) => {
    if (depth === 2) parent = heading;
    return {
      id: depth === 1 ? file : `${file}#${id}`,
      title: depth > 2 ? `${parent} › ${heading}` : heading,
      page,
      also,
      text: texts[position]?.replace(/\s+/g, ' ').trim() ?? '',
    };
  });
}

/** Returns the text of a part of a page, without Markdown. */
function textOf(token: Token): string {
  if (token.type === 'html') return '';
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].flatMap((cells) => cells.map(({ tokens }) => textsOf(tokens))).join(' · ');
  }
  if (token.type === 'list') return textsOf((token as Tokens.List).items, ' ');
  if ('tokens' in token && token.tokens) return textsOf(token.tokens, token.type === 'list_item' ? ' ' : '');
  return 'text' in token ? token.text : ' ';
}

function textsOf(tokens: readonly Token[], separator = ''): string {
  return tokens.map(textOf).join(separator);
}

/** Returns a page with the lists on its sides, which are folded on a narrow window. */
function frame(page: Page, pages: readonly Page[]): string {
  const { group, title, headings, html } = page;
  const list = listOf(pages, (each) => {
    const current = each === page ? ' aria-current="page"' : '';
    return `<a href="${each.file}"${current}>${each.title}</a>`;
  });
  const sections = headings.flatMap(({ depth, id, text }) =>
    depth === 2 ? `<li><a href="#${id}">${escapeHtml(text)}</a></li>` : [],
  );
  const index = pages.indexOf(page);
  const [before, after] = [pages[index - 1], pages[index + 1]];
  const neighbours = `<nav class="neighbours" aria-label="Neighbours">
${before ? `<a href="${before.file}" rel="prev">← ${before.title}</a>` : ''}
${after ? `<a href="${after.file}" rel="next">${after.title} →</a>` : ''}
</nav>`;
  const moved = [...MOVED].flatMap(([from, to]) => {
    const [name = '', id] = from.split('#');
    if (!id || addressOf(MOVED.get(name) ?? name) !== page.file) return [];
    return `<a class="moved" id="${id}" href="${addressOf(to)}">This section has moved.</a>`;
  });
  return `<div class="docs">
<details class="pages"><summary>Docs / ${group ? `${group} / ` : ''}<b>${title}</b></summary>
<nav aria-label="Documentation">${list}</nav></details>
<details class="sections"><summary>On this page</summary>
<nav aria-label="Sections"><h2>On this page</h2>
<ul>${sections.join('\n')}</ul></nav></details>
<article>${html}${moved.join('\n')}
${group ? neighbours : ''}</article></div>`;
}

/** Returns the list of the pages, by group. */
function listOf(pages: readonly Page[], item: (page: Page) => string): string {
  const groups = Map.groupBy(pages, ({ group }) => group);
  return [...groups]
    .map(([group, members]) => {
      const items = members.map((page) => `<li>${item(page)}</li>`);
      return `<h2>${group}</h2>\n<ul>\n${items.join('\n')}\n</ul>`;
    })
    .join('\n');
}

const isSentence = (text: string) => text.replace(/`[^`]*`/g, '').length >= MIN_SENTENCE_LENGTH;

/** Returns about how many rem a table needs: for each column, its longest name or word, or the width of a sentence. */
function widthOf({ header, rows }: Tokens.Table): number {
  const widths = header.map((_, column) => {
    const texts = [header, ...rows].map((row) => row[column]?.text.replace(/\]\([^)]*\)/g, '') ?? '');
    const names = texts.flatMap((text) => text.match(NAME_OR_WORD) ?? []);
    return (
      Math.max(texts.some(isSentence) ? SENTENCE_WIDTH : 0, ...names.map(({ length }) => length * 0.47)) + 1
    );
  });
  return widths.reduce((sum, width) => sum + width);
}

/** Returns the anchor that GitHub gives to the first heading with a text. */
function slugOf(text: string): string {
  const unusual = /[^\p{L}\p{N}\s_-]/gu;
  return text.toLowerCase().replace(unusual, '').replaceAll(' ', '-');
}

/**
 * Returns the renderer of the additions to plain Markdown: anchors, buttons to copy code, and tables for any width.
 *
 * @param headings gets the headings of the page
 * @param source the file of the page
 */
function docsRenderer(Renderer: typeof MarkedRenderer, headings: Heading[], source: string): RendererObject {
  let codes = 0;
  const slugs = new Map<string, number>();
  const labels = new Map<Tokens.TableCell, string>();
  return {
    heading({ tokens, depth, text }) {
      const content = this.parser.parseInline(tokens);
      const slug = slugOf(text);
      const same = slugs.get(slug) ?? 0;
      slugs.set(slug, same + 1);
      const id = same > 0 ? `${slug}-${same}` : slug;
      headings.push({ depth, id, text: text.replaceAll('`', ''), also: '' });
      const anchor =
        depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
      return `<h${depth} id="${id}">${content}${anchor}</h${depth}>\n`;
    },
    code({ text }) {
      codes += 1;
      const id = `code-${codes}`;
      return `<div class="code"><pre id="${id}" tabindex="0"><code>${escapeHtml(text)}</code></pre>
<output></output><button type="button" data-copies="${id}" aria-label="Copy the code">Copy</button></div>\n`;
    },
    table(token) {
      const needed = widthOf(token);
      const width = TABLE_WIDTHS.find((each) => needed <= each) ?? 'any';
      for (const row of token.rows) {
        for (const [column, cell] of row.entries()) labels.set(cell, token.header[column]?.text ?? '');
      }
      const table = new Renderer().table.call(this, token);
      return `<div class="scroll needs-${width}" tabindex="0">${table}</div>\n`;
    },
    // A name does not wrap. Longer code wraps between its words in a cell, and anywhere outside of one.
    codespan({ text }) {
      const code = escapeHtml(text);
      return text.length <= MAX_NAME_LENGTH
        ? `<code>${code}</code>`
        : `<code class="long">${code.replace(/[ ,]/g, '$&<wbr>')}</code>`;
    },
    // In a narrow window, a row is a list of its cells with their labels.
    tablecell(token) {
      const label = escapeHtml(labels.get(token)?.replaceAll('`', '') ?? '');
      const attributes = `${isSentence(token.text) ? ' class="text"' : ''}${label && ` data-label="${label}"`}`;
      return new Renderer().tablecell.call(this, token).replace('<td', () => `<td${attributes}`);
    },
    link({ href, tokens }) {
      const content = this.parser.parseInline(tokens);
      const address = servedLink(href, source);
      return address === undefined ? content : `<a href="${escapeHtml(address)}">${content}</a>`;
    },
    image: () => '',
    html({ text }) {
      const [, also] = ALSO.exec(text) ?? [];
      const heading = headings.at(-1);
      if (also !== undefined && heading !== undefined) heading.also = also;
      return '';
    },
  };
}
