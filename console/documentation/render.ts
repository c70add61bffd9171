/** Renders the documentation: for each page the HTML of its content, with the list of pages, its sections and its neighbours. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Renderer as MarkedRenderer, RendererObject, Tokens } from 'marked';
import { escapeHtml } from '../../src/pages/html.ts';
import type { Section } from './sections.ts';

const SOURCE = join(import.meta.dirname, '../../docs');

// The pages of the documentation, in the order of their list. The package has no others.
const GROUPS = {
  'To begin with': ['getting-started', 'use-case', 'how-do-i'],
  'For clients': ['api', 'specification', 'clients', 'browser'],
  'For operators': [
    'running',
    'production',
    'commands',
    'troubleshooting',
    'monitoring',
    'limits',
    'postgresql',
  ],
  'About the gateway': ['decisions', 'conformance', 'benchmarks'],
};

// Other words that people type for a heading, in a comment below it, which GitHub does not show.
const ALSO = /^<!-- also: (.*) -->/;

const INLINE_TAG = /<\/?(?:a|code|em|strong|wbr)\b[^<>]*>/g;

const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

// Fits a window of 320 pixels.
const MAX_NAME_LENGTH = 30;

// In a cell, these do not wrap.
const NAME_OR_WORD = /`[^`]{1,30}`|[^ ,]+/g;

// A sentence beside names needs a width, in rem, in which it can be read.
const MIN_SENTENCE_LENGTH = 40;
const SENTENCE_WIDTH = 11;

// The widths in rem for which the style has a class. A table that needs more is rows of pairs on every window.
const TABLE_WIDTHS = [18, 24, 32, 40, 46];

type Heading = {
  readonly depth: number;
  readonly id: string;
  readonly text: string;
  also: string;
};

type Page = {
  readonly file: string;
  readonly group: string;
  /** HTML, as the title of a heading is not. */
  readonly title: string;
  readonly headings: readonly Heading[];
  readonly html: string;
};

/**
 * Writes each page of the documentation into a folder, and the list of all as `index.html`.
 *
 * @returns the sections of all pages, for the search
 */
export async function renderDocs(folder: string): Promise<readonly Section[]> {
  const { Marked, Renderer } = await import('marked');
  const pages = Object.entries(GROUPS).flatMap(([group, names]) =>
    names.map((name): Page => {
      const markdown = readFileSync(join(SOURCE, `${name}.md`), 'utf8');
      const headings: Heading[] = [];
      const html = new Marked({ renderer: docsRenderer(Renderer, headings) }).parse(markdown, {
        async: false,
      });
      return { file: `${name}.md`, group, title: escapeHtml(headings[0]?.text ?? name), headings, html };
    }),
  );
  mkdirSync(folder, { recursive: true });
  for (const page of pages) writeFileSync(join(folder, `${page.file}.html`), frame(page, pages));
  const list = listOf(pages, ({ file, title, html }) => {
    const [, lead = ''] = /<\/h1>\s*<p>(.+?)<\/p>/s.exec(html) ?? [];
    const [sentence] = lead.replace(/<\/?a\b[^>]*>/g, '').split(/(?<=\.)\s/);
    return `<a href="docs/${file}">${title}</a><p>${sentence}</p>`;
  });
  writeFileSync(join(folder, 'index.html'), list);
  return pages.flatMap(sectionsOf);
}

/** Returns the sections of a page with their texts. The title of one in another section begins with that of the other. */
function sectionsOf({ file, headings, html }: Page): readonly Section[] {
  const texts = html.split(/<h[1-6] [^>]*>.*<\/h[1-6]>/).slice(1);
  const page = headings[0]?.text ?? '';
  let parent = '';
  return headings.map(({ depth, id, text: heading, also }, position) => {
    if (depth === 2) parent = heading;
    return {
      id: depth === 1 ? file : `${file}#${id}`,
      title: depth > 2 ? `${parent} › ${heading}` : heading,
      page,
      also,
      text: textOf(texts[position] ?? ''),
    };
  });
}

/** Returns the text of HTML, in one line. */
function textOf(html: string): string {
  return html
    .replace(/<button.*?<\/button>/g, '')
    .replace(INLINE_TAG, '')
    .replace(/<\/t[dh]>/g, ' · ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(?:#(\d+)|(\w+));/g, (_, code, name) => CHARACTERS[name] ?? String.fromCharCode(code))
    .replace(/\s+/g, ' ')
    .trim();
}

/** Returns a page with what is beside it. On a narrow window, both lists are folded. */
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
  return `<div class="docs">
<details class="pages"><summary>Docs / ${group} / <b>${title}</b></summary>
<nav aria-label="Documentation">${list}</nav></details>
<details class="sections"><summary>On this page</summary>
<nav aria-label="Sections"><h2>On this page</h2>
<ul>${sections.join('\n')}</ul></nav></details>
<article>${html}
<nav class="neighbours" aria-label="Neighbours">
${before ? `<a href="${before.file}" rel="prev">← ${before.title}</a>` : ''}
${after ? `<a href="${after.file}" rel="next">${after.title} →</a>` : ''}
</nav></article></div>`;
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

/**
 * Returns what the page of a document has beyond Markdown: anchors, buttons to copy code, and tables for any width.
 *
 * @param headings gets the headings of the page
 */
function docsRenderer(Renderer: typeof MarkedRenderer, headings: Heading[]): RendererObject {
  let codes = 0;
  const labels = new Map<Tokens.TableCell, string>();
  return {
    heading({ tokens, depth, text }) {
      const content = this.parser.parseInline(tokens);
      // As GitHub makes it.
      const id = text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-');
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
    // A name does not wrap. What is longer wraps in a cell between its words only, and elsewhere where it has to.
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
    // The server does not serve the other files of the repository.
    link({ href, tokens }) {
      const content = this.parser.parseInline(tokens);
      return href.startsWith('../') ? content : `<a href="${escapeHtml(href)}">${content}</a>`;
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
