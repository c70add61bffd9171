/** An operation to begin with, as a GraphQL document and its variables in JSON. */
export type Example = { readonly query: string; readonly variables: string };

/** One for each of the four operations. The names and secrets are to be replaced. */
export const EXAMPLES: readonly Example[] = [
  example(
    `# To go on, put the endCursor into "after".
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
    `# Put the name of a wallet of yours into the variables.
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
    `# The private key is shown this once.
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
    `# Put the name and the private key of an app of yours into the variables.
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
