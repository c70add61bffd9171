import type { FastifyReply, FastifyRequest } from 'fastify';
import { prefersHtml } from '../http/request/accept.ts';
import type { ApiError } from '../model/errors.ts';
import { readStyle, sendPage } from './html.ts';

// The paths of the APIs. A browser that opens one gets the error of the API.
const API_PATH = /^\/(auth|graphql|oauth|project|wallet|\.well-known)(\/|\?|$)/;

// Bounds the size of the page. From a deeper path, the links lead to a path that is less deep.
const MAX_DEPTH = 20;

const STYLE = readStyle('content');

/** Sends the page for an unknown path to a browser, and nothing to another client. It contains nothing of the request. */
export function sendNotFoundPage(
  { reason }: ApiError,
  { method, url, headers }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | undefined {
  const isRead = method === 'GET' || method === 'HEAD';
  if (reason !== 'PATH_NOT_FOUND' || !isRead || API_PATH.test(url)) return undefined;
  if (!prefersHtml(headers.accept, ['application/json'])) return undefined;
  const root = rootOf(url);
  return sendPage(reply, {
    root,
    title: 'Page not found · PAW gateway',
    style: STYLE,
    main: `<div class="plain">
<h1>There is no page at this address</h1>
<p>The address may be incomplete or out of date. The start page has links to the pages and documents of the gateway.</p>
<p><a href="${root}">Go to the start page</a></p>
</div>`,
    policy: {},
  });
}

/** Returns the relative URL from a path to that of the start page. A proxy can serve the gateway under a path prefix. */
function rootOf(url: string): string {
  const [path = ''] = url.split('?', 1);
  const depth = path.split('/').length - 2;
  return '../'.repeat(Math.min(depth, MAX_DEPTH)) || './';
}
