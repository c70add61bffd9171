import {
  commitMutation,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  type GraphQLResponse,
  getFragment,
  getPaginationMetadata,
  getPaginationVariables,
  getRefetchMetadata,
  getRequest,
  getSingularSelector,
  graphql,
  Network,
  RecordSource,
  Store,
} from 'relay-runtime';

// A Relay app without React: it does what `usePaginationFragment`, `useRefetchableFragment` and `useMutation` do. The
// program in docs/clients.md shows the first query of a list.

const { PAW_URL, PAW_TOKEN, WALLET } = process.env;
const network = Network.create(async ({ text }, variables) => {
  const response = await fetch(`${PAW_URL}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${PAW_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: text, variables }),
  });
  return (await response.json()) as GraphQLResponse;
});
const environment = new Environment({ network, store: new Store(new RecordSource()) });

const query = graphql`
  query appQuery($id: ID!) {
    ...app_projects
    node(id: $id) {
      ... on Wallet {
        title
      }
    }
  }
`;

const projectsFragment = graphql`
  fragment app_projects on Query
  @argumentDefinitions(count: { type: "Int", defaultValue: 10 }, cursor: { type: "String" })
  @refetchable(queryName: "appPaginationQuery") {
    projects(first: $count, after: $cursor) @connection(key: "app_projects") {
      edges {
        node {
          ...app_project
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`;

const projectFragment = graphql`
  fragment app_project on Project @refetchable(queryName: "appProjectQuery") {
    id
    title
  }
`;

const mutation = graphql`
  mutation appUpdateMutation($input: UpdateWalletInput!) {
    updateWallet(input: $input) {
      wallet {
        title
      }
    }
  }
`;

const operation = createOperationDescriptor(getRequest(query), { id: WALLET });
environment.retain(operation);
// biome-ignore lint/suspicious/noExplicitAny: the test checks the values
const root: any = await fetchQuery(environment, query, { id: WALLET }).toPromise();

// biome-ignore lint/suspicious/noExplicitAny: as above
function read(fragment: typeof query, key: unknown): any {
  return environment.lookup(getSingularSelector(getFragment(fragment), key)).data;
}

function readProjects() {
  const { edges, pageInfo } = read(projectsFragment, root).projects;
  return { keys: edges.map(({ node }: { node: unknown }) => node), ...pageInfo };
}

for (let list = readProjects(); list.hasNextPage; list = readProjects()) {
  const metadata = getPaginationMetadata(getFragment(projectsFragment), 'loadNext');
  const { paginationRequest, paginationMetadata } = metadata;
  const variables = getPaginationVariables('forward', 10, list.endCursor, {}, {}, paginationMetadata);
  await fetchQuery(environment, paginationRequest, variables).toPromise();
}
const { keys } = readProjects();
console.log(`${keys.length} projects in the store`);

const { refetchableRequest } = getRefetchMetadata(getFragment(projectFragment), 'refetch');
const { id } = read(projectFragment, keys[24]);
environment.commitUpdate((store) => {
  store.get(id)?.setValue('outdated', 'title');
});
await fetchQuery(environment, refetchableRequest, { id }).toPromise();
console.log(read(projectFragment, keys[24]).title);

for (const title of ['Treasury', '']) {
  const errors = await new Promise((resolve, reject) => {
    const onCompleted = (_: unknown, errors: unknown) => resolve(errors);
    commitMutation(environment, {
      mutation,
      variables: { input: { name: WALLET, title } },
      onCompleted,
      onError: reject,
    });
  });
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const { node } = environment.lookup(operation.fragment).data as any;
  console.log(node.title, JSON.stringify(errors));
}
