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

/** Returns the contract with the version and the URL of this gateway. Its JSON is generated from its YAML. */
async function readContract(version: string, publicUrl: string) {
  // Imported on demand: the server starts faster without it.
  const { default: contract } = await import('./openapi.json', { with: { type: 'json' } });
  const { info, servers } = contract;
  const [server] = servers;
  const own = { ...contract, info: { ...info, version }, servers: [{ ...server, url: publicUrl }] };
  const yaml = readFileSync(CONTRACT, 'utf8')
    .replace(`version: ${info.version}`, () => `version: ${version}`)
    .replace(`url: ${server?.url}`, () => `url: ${JSON.stringify(publicUrl)}`);
  return { json: JSON.stringify(own, undefined, 2), yaml };
}
