import { Environment, type GraphQLResponse, Network, RecordSource, Store } from 'relay-runtime';

/** Creates an environment whose store holds the data of one token. */
export function createEnvironment(url: string, token: string): Environment {
  const network = Network.create(async ({ text }, variables) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: text, variables }),
    });
    return (await response.json()) as GraphQLResponse;
  });
  return new Environment({ network, store: new Store(new RecordSource()) });
}
