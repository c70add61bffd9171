import {
  type Disposable,
  Environment,
  type GraphQLResponse,
  type GraphQLTaggedNode,
  getFragment,
  getSingularSelector,
  Network,
  RecordSource,
  Store,
} from 'relay-runtime';

/** The compiled type of an object on which a fragment is spread. */
type Key<Data> = { readonly ' $data'?: Data; readonly ' $fragmentSpreads': unknown };

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

/** Reads a fragment from the store. */
export function readFragment<Data>(
  environment: Environment,
  fragment: GraphQLTaggedNode,
  key: Key<Data>,
): Data {
  return environment.lookup(getSingularSelector(getFragment(fragment), key)).data as Data;
}

/** Calls `changed` after each change in the store of the data that a fragment reads. */
export function watchFragment<Data>(
  environment: Environment,
  fragment: GraphQLTaggedNode,
  key: Key<Data>,
  changed: (data: Data) => void,
): Disposable {
  const snapshot = environment.lookup(getSingularSelector(getFragment(fragment), key));
  return environment.subscribe(snapshot, ({ data }) => changed(data as Data));
}
