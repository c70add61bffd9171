/** An example operation: a GraphQL document, and its variables as JSON. */
export type Example = { readonly query: string; readonly variables: string };

/** The examples of the four operations. The user replaces the names and secrets. */
export const EXAMPLES: readonly Example[] = [
  example(
    `# For the next page, set "after" to the endCursor.
query ListProjects($first: Int, $after: String) {
  projects(first: $first, after: $after) {
    totalCount
    nodes {
      name
      title
      description
      imageCoverUrl
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}`,
    { first: 10, after: null },
  ),
  example(
    `# Set "name" in the variables to the name of a wallet.
mutation UpdateWallet($input: UpdateWalletInput!) {
  updateWallet(input: $input) {
    wallet {
      name
      title
      description
      network
      address
      project {
        title
      }
    }
  }
}`,
    { input: { name: 'wallets/01ARZ3NDEKTSV4RRFFQ69G5FAV', title: 'Treasury' } },
  ),
  example(
    `# Only this response contains the private key.
mutation CreateApp($input: CreateAppInput!) {
  createApp(input: $input) {
    app {
      name
      title
      privateKey
      active
    }
  }
}`,
    { input: { title: 'Back office', active: true } },
  ),
  example(
    `# Set "name" and "privateKey" in the variables to those of an app.
mutation SignIn($input: SignInInput!) {
  signIn(input: $input) {
    accessToken
    expireTime
    app {
      name
    }
  }
}`,
    { input: { name: 'apps/01ARZ3NDEKTSV4RRFFQ69G5FAV', privateKey: 'paw_key_…' } },
  ),
];

function example(query: string, variables: object): Example {
  return { query, variables: JSON.stringify(variables, null, 2) };
}
