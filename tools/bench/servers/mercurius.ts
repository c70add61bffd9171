import { fastify } from 'fastify';
import mercurius from 'mercurius';
import { openLog } from '../../../src/commands/cli/logger.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import { addRateLimits } from '../../../src/http/limits/rate-limit.ts';
import { addRequestLog } from '../../../src/http/log/request-log.ts';
import { bearerAuthenticator } from '../../../src/http/request/authorization.ts';
import { addRequestNotes } from '../../../src/http/request/request-notes.ts';
import { contextFor, openDataLayer } from './data-layer.ts';

const data = await openDataLayer();
const app = fastify();
addRequestNotes(app);
const authenticate = bearerAuthenticator(data);
if (process.env['PAW_LOG_REQUESTS'] === 'all') {
  // The log and the limits of the gateway.
  addRequestLog(app, openLog('info', 1), 'all');
  const quota = 100_000_000;
  addRateLimits(app, authenticate, { perCredential: quota, perAccount: quota, perAddress: quota });
}
await app.register(mercurius, {
  schema: createSchema(),
  jit: 1,
  context: async (request) => contextFor(data, await authenticate(request)),
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
console.log(JSON.stringify({ url }));
