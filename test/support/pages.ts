import { createHash } from 'node:crypto';
import { type IncomingMessage, type RequestOptions, request as requestByNode } from 'node:http';
import { expect } from 'vitest';
import { type HttpResponse, send } from './both-apis.ts';

/** The header of a browser that opens a page. */
export const BROWSER = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
};

/** What every gateway serves, and its start page links to. */
export const EVERYWHERE = [
  '/',
  ...['/docs', '/docs/api.md', '/docs/getting-started.md'],
  ...['/healthz', '/llms.txt', '/openapi.json', '/readyz', '/schema.graphql'],
];

/** Opens a page like a browser. */
export function browse(url: string): Promise<HttpResponse> {
  return send(url, 'GET', undefined, undefined, BROWSER);
}

/** Sends a request with this path and these headers and no others. `fetch` would resolve dots, and decompress the body. */
export function request(url: string, options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    requestByNode(url, options).on('response', resolve).on('error', reject).end();
  });
}

/** Returns the headers of a response that depend on the request alone. */
export function constantHeaders({ headers }: IncomingMessage): object {
  return { ...headers, date: '', 'x-request-id': '', ratelimit: '' };
}

/** Returns the contents of the elements with a tag name and no attributes other than an id. */
export function elementsOf(name: string, html: string): string[] {
  return [...html.matchAll(new RegExp(`<${name}(?: id="[^"]*")?>(.*?)</${name}>`, 'gs'))].map(
    ([, within = '']) => within,
  );
}

/** Returns the source expressions of a Content-Security-Policy that allow these inline scripts or styles. */
export function hashes(texts: readonly string[]): string {
  return texts.map((each) => `'sha256-${createHash('sha256').update(each).digest('base64')}'`).join(' ');
}

/** Returns the directives of the Content-Security-Policy. */
export function policyOf(headers: Headers): Record<string, string> {
  const directives = (headers.get('content-security-policy') ?? '').split('; ');
  return Object.fromEntries(directives.map((each) => each.split(/ (.*)/, 2)));
}

/** Returns the paths that a page links to, without those of its assets. */
export function linksIn(page: string): string[] {
  const paths = valuesOf('href', page).filter((link) => link.startsWith('/') && !link.startsWith('/assets/'));
  return [...new Set(paths)].toSorted();
}

/** The values of an attribute. A relative URL is returned as a path. */
export function valuesOf(attribute: string, html: string): string[] {
  const values = [...html.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, 'g'))];
  return values.map(([, value = '']) => {
    // URLs are relative, for a gateway behind a path prefix, and never point to another host.
    expect(value).toMatch(/^(\.\/|data:)/);
    return value.replace(/^\.\//, '/');
  });
}
