import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSchema } from '../../../src/graphql/schema.ts';
import { contextOf, openDataLayer } from './contender.ts';

// By a name that the compiler does not follow, since its types change those of GraphQL's errors.
const { createYoga } = await import('graphql-yoga' as string);

const data = await openDataLayer();
const yoga = createYoga({
  schema: createSchema(),
  logging: false,
  // It copies what a context has of its own, and leaves what its class has.
  async context({ request }: { request: Request }) {
    const { principal, resources } = await contextOf(data, request.headers.get('authorization') ?? undefined);
    return { data, principal, resources };
  },
});
const server = createServer(yoga);
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  console.log(JSON.stringify({ url }));
});
