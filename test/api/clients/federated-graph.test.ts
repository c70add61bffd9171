import { testFederatedGraph } from '../../support/federated-graph.ts';
import { startHttpServer } from '../../support/http-server.ts';

// Not imported with its types: they change those of graphql-js for all files.
const HIVE_GATEWAY: string = '@graphql-hive/gateway-runtime';

testFederatedGraph('Hive Gateway', async (supergraph) => {
  const { createGatewayRuntime } = await import(HIVE_GATEWAY);
  const runtime = createGatewayRuntime({
    supergraph,
    logging: false,
    propagateHeaders: {
      fromClientToSubgraphs: ({ request }: { readonly request: Request }) => ({
        authorization: request.headers.get('authorization') ?? undefined,
      }),
    },
  });
  const { url, stop } = await startHttpServer(runtime);
  return {
    url: `${url}/graphql`,
    stop: () => {
      stop();
      return runtime[Symbol.asyncDispose]();
    },
  };
});
