/** An example operation: a GraphQL document, and its variables as JSON. */
export type Example = { readonly query: string; readonly variables: string };

export const WALLET = { name: 'wallets/01ARZ3NDEKTSV4RRFFQ69G5FAV', title: 'Treasury', description: '' };

export const APP = { name: 'apps/01ARZ3NDEKTSV4RRFFQ69G5FAV', privateKey: 'paw_key_…' };

const OPERATIONS = `# For the next page, set "after" to the endCursor.
query ListProjects($first: Int, $after: String) {
  projects(first: $first, after: $after) {
    totalCount
    nodes { name title description imageCoverUrl }
    pageInfo { hasNextPage endCursor }
  }
}

# With a bearer token, this is a wallet that it has access to. An omitted field is unchanged.
mutation UpdateWallet($input: UpdateWalletInput!) {
  updateWallet(input: $input) {
    wallet { name title description network address project { title } }
  }
}

# Only this response contains the private key. The example SignIn gets it, too.
mutation CreateApp($input: CreateAppInput!) {
  createApp(input: $input) { app { name title privateKey active } }
}

# Execute CreateApp first. The variables then have the new app and its private key.
mutation SignIn($input: SignInInput!) {
  signIn(input: $input) { accessToken expireTime app { name } }
}`;

/** Returns the examples of the four operations, with placeholders for unknown values. */
export function examplesFor(wallet = WALLET, app = APP): Example[] {
  const inputs = [wallet, { title: 'Back office', active: true }, app].map((input) => ({ input }));
  const variables = [{ first: 10, after: null }, ...inputs].map((each) => JSON.stringify(each, null, 2));
  return OPERATIONS.split('\n\n').map((query, index) => ({ query, variables: variables[index] ?? '' }));
}
