// @module-tag night/conformance

import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { vi } from 'vitest';
import { testFederatedGraph } from '../support/federated-graph.ts';

type Context = { readonly authorization: string | undefined };
type Outgoing = { readonly request: { readonly http: Request }; readonly context: Context };

// Not imported with its types, because only the night has the package.
const APOLLO_GATEWAY: string = '@apollo/gateway';

testFederatedGraph('Apollo Gateway', async (supergraphSdl) => {
  vi.stubEnv('APOLLO_TELEMETRY_DISABLED', 'true');
  const { ApolloGateway, RemoteGraphQLDataSource } = await import(APOLLO_GATEWAY);
  const gateway = new ApolloGateway({
    supergraphSdl,
    buildService: ({ url }: { readonly url: string }) =>
      new RemoteGraphQLDataSource({
        url,
        willSendRequest({ request, context }: Outgoing) {
          if (context.authorization) request.http.headers.set('authorization', context.authorization);
        },
      }),
  });
  const server = new ApolloServer<Context>({ gateway });
  const { url } = await startStandaloneServer(server, {
    listen: { port: 0, host: '127.0.0.1' },
    context: async ({ req }) => ({ authorization: req.headers.authorization }),
  });
  return { url, stop: () => server.stop() };
});
