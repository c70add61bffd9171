import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { JSON_TYPE } from '../http/json.ts';

const CONTRACT = new URL('../../schema/openapi.yaml', import.meta.url);

/**
 * Adds the routes of the contract in `schema/`, `/openapi.json` and `/openapi.yaml`. They need no token.
 *
 * @param publicUrl returns the public URL of the gateway, without a trailing slash; called on the first request
 */
export function addOpenApi(app: FastifyInstance, version: string, publicUrl: () => string): void {
  let served: { readonly json: string; readonly yaml: string } | undefined;
  const addRoute = (format: 'json' | 'yaml', type: string) =>
    app.get(`/openapi.${format}`, async (_request, reply) => {
      served ??= await readContract(version, publicUrl());
      // Tools on any origin can load the document: it is public.
      reply.header('access-control-allow-origin', '*').header('cache-control', 'public, max-age=300');
      return reply.type(type).send(served[format]);
    });
  addRoute('json', JSON_TYPE);
  addRoute('yaml', 'application/yaml');
}

/** Reads the contract, and returns it with the version and the URL of this gateway. */
async function readContract(version: string, publicUrl: string) {
  // Imported on demand: the server starts faster without it.
  const { parseDocument } = await import('yaml');
  const contract = parseDocument(readFileSync(CONTRACT, 'utf8'));
  contract.setIn(['info', 'version'], version);
  contract.setIn(['servers', 0, 'url'], publicUrl);
  return { json: JSON.stringify(contract, undefined, 2), yaml: contract.toString({ lineWidth: 120 }) };
}
