import type { FastifyReply } from 'fastify';

/** Sends a document that is public: pages of any origin can read it, and caches keep it. */
export function sendDocument(reply: FastifyReply, mediaType: string, text: string): FastifyReply {
  return reply
    .type(mediaType)
    .header('cache-control', 'public, max-age=300')
    .header('access-control-allow-origin', '*')
    .send(text);
}
