import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { JSON_TYPE } from '../http/server/json.ts';

const WORKFLOW = '/four-operations.arazzo.yaml';

/**
 * Adds the routes of the contract, `/openapi.json`, and of the workflow that runs its operations, with the version and the
 * URL of this gateway. They need no token.
 *
 * @param publicUrl returns the public URL of the gateway, without a trailing slash; called on the first request
 */
export function addOpenApi(app: FastifyInstance, version: string, publicUrl: () => string): void {
  const add = (path: string, type: string, textOf: (version: string, url: string) => Promise<string>) => {
    let text: string | undefined;
    app.get(path, async (_request, reply) => {
      text ??= await textOf(version, publicUrl());
      // Tools on any origin can load the document: it is public.
      reply.header('access-control-allow-origin', '*').header('cache-control', 'public, max-age=300');
      return reply.type(type).send(text);
    });
  };
  add('/openapi.json', JSON_TYPE, contractOf);
  add(WORKFLOW, 'application/yaml; charset=utf-8', workflowOf);
}

async function contractOf(version: string, url: string): Promise<string> {
  // Imported on demand: the server starts faster without it. Generated from the YAML in `schema/`.
  const { default: contract } = await import('./generated/openapi.json', { with: { type: 'json' } });
  const { info, servers, externalDocs } = contract;
  const own = {
    ...contract,
    info: { ...info, version },
    externalDocs: { ...externalDocs, url: url + WORKFLOW },
    servers: [{ ...servers[0], url }],
  };
  return JSON.stringify(own, undefined, 2);
}

async function workflowOf(version: string, url: string): Promise<string> {
  const workflow = await readFile(new URL(`../../schema${WORKFLOW}`, import.meta.url), 'utf8');
  return workflow
    .replace(/(?<=^ {2}version: )0\.0\.0$/m, version)
    .replace(/(?<=^ {4}url: )openapi\.yaml$/m, `${url}/openapi.json`);
}
