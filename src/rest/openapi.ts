import type { FastifyInstance } from 'fastify';
import { JSON_TYPE } from '../http/server/json.ts';
import { sendDocument } from '../http/server/public-document.ts';

/**
 * Adds the route of the contract, `/openapi.json`, with the version and the URL of this gateway. It needs no token.
 *
 * @param publicUrl returns the public URL of the gateway, without a trailing slash; called on the first request
 */
export function addOpenApi(app: FastifyInstance, version: string, publicUrl: () => string): void {
  let text: string | undefined;
  app.get('/openapi.json', async (_request, reply) => {
    text ??= await contractOf(version, publicUrl());
    return sendDocument(reply, JSON_TYPE, text);
  });
}

async function contractOf(version: string, url: string): Promise<string> {
  // Imported on demand: the server starts faster without it. Generated from the YAML in `schema/`.
  const { default: contract } = await import('./generated/openapi.json', { with: { type: 'json' } });
  const { info, servers } = contract;
  const own = { ...contract, info: { ...info, version }, servers: [{ ...servers[0], url }] };
  return JSON.stringify(own, undefined, 2);
}
