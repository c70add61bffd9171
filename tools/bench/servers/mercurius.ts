import { fastify } from 'fastify';
import mercurius from 'mercurius';
import { createSchema } from '../../../src/graphql/schema.ts';
import { contextOf, openDataLayer } from './data-layer.ts';

const data = await openDataLayer();
const app = fastify();
await app.register(mercurius, {
  schema: createSchema(),
  jit: 1,
  context: (request) => contextOf(data, request.headers.authorization),
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
console.log(JSON.stringify({ url }));
