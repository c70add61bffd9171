import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../model/api-error.ts';

const FOLDER = new URL('../../docs/', import.meta.url);

/** The URL of the gateway in `llms.txt`. */
const EXAMPLE_URL = 'http://127.0.0.1:4000';

// Links to files of the repository, which the server does not serve. Their text remains.
const LINK_TO_FILE = /\[([^[\]]*)\]\(\.\.\/[^)]*\)/g;

/**
 * Adds the documentation for programs that read text: `/llms.txt`, and the pages of `docs/` as Markdown. They need no
 * token. Source: llmstxt.org.
 *
 * @param publicUrl returns the public URL of the gateway, without a trailing slash
 */
export function addDocumentation(app: FastifyInstance, publicUrl: () => string): void {
  const pages = new Set(readdirSync(FOLDER).filter((file) => file.endsWith('.md')));

  app.get('/llms.txt', async (_request, reply) => {
    const text = await readText('llms.txt');
    return send(reply, 'text/plain', text.replaceAll(EXAMPLE_URL, publicUrl()));
  });

  app.get<{ Params: { page: string } }>('/docs/:page', async ({ params: { page } }, reply) => {
    if (!pages.has(page)) throw new ApiError('PATH_NOT_FOUND');
    return send(reply, 'text/markdown', (await readText(page)).replace(LINK_TO_FILE, '$1'));
  });
}

function readText(file: string): Promise<string> {
  return readFile(new URL(file, FOLDER), 'utf8');
}

function send(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply
    .type(`${type}; charset=utf-8`)
    .header('cache-control', 'public, max-age=300')
    .header('access-control-allow-origin', '*')
    .send(text);
}
