/** An example operation: a GraphQL document, and its variables as JSON. */
export type Example = { readonly query: string; readonly variables: string };

/** What a token may do, and the resources that it sees, as far as the examples use them. */
export type Reach = {
  readonly viewer: {
    readonly level: 'ACCOUNT' | 'PROJECT';
    readonly readOnly: boolean;
    readonly account: string;
    readonly project: { readonly name: string };
  };
  readonly projects: {
    readonly nodes: readonly {
      readonly wallets: { readonly nodes: readonly Wallet[] };
      readonly apps: { readonly nodes: readonly { readonly name: string }[] };
    }[];
  };
};

/** An app whose private key is known, because it was created in the page. */
export type NewApp = { readonly name: string; readonly privateKey: string };

type Wallet = { readonly name: string; readonly title: string; readonly description: string };

/** The document whose data is the reach of the token of the request. */
export const REACH = `query Reach {
  viewer { level readOnly account project { name } }
  projects(first: 100) {
    nodes {
      wallets(first: 1) { nodes { name title description } }
      apps(first: 1) { nodes { name } }
    }
  }
}`;

const READ_ONLY = 'The token may only read. The gateway refuses this mutation.';

const LIST_PROJECTS = `query ListProjects($first: Int, $after: String) {
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
}`;

const UPDATE_WALLET = `mutation UpdateWallet($input: UpdateWalletInput!) {
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
}`;

const CREATE_APP = `mutation CreateApp($input: CreateAppInput!) {
  createApp(input: $input) {
    app {
      name
      title
      privateKey
      active
    }
  }
}`;

const SIGN_IN = `mutation SignIn($input: SignInInput!) {
  signIn(input: $input) {
    accessToken
    expireTime
    app {
      name
    }
  }
}`;

/**
 * Returns the examples of the four operations, with resources that the token sees, so that they can be executed
 * unchanged.
 *
 * @param reach undefined without a token; the examples then have placeholders
 * @param newApp the app to sign in with
 */
export function examplesFor(reach?: Reach, newApp?: NewApp): readonly Example[] {
  return [
    example('For the next page, set "after" to the endCursor.', LIST_PROJECTS, { first: 10, after: null }),
    updateWallet(reach),
    createApp(reach),
    signIn(reach, newApp),
  ];
}

function updateWallet(reach?: Reach): Example {
  const wallet = reach?.projects.nodes.flatMap(({ wallets }) => wallets.nodes)[0];
  // The values that the wallet has, so that an execution without a change does no harm.
  const input = wallet ?? { name: 'wallets/01ARZ3NDEKTSV4RRFFQ69G5FAV', title: 'Treasury' };
  return example(commentOnUpdate(reach, wallet), UPDATE_WALLET, { input });
}

function commentOnUpdate(reach?: Reach, wallet?: Wallet): string {
  if (reach === undefined) return 'With a bearer token, the variables contain a wallet that it sees.';
  if (reach.viewer.readOnly) return READ_ONLY;
  if (wallet === undefined) return 'The token sees no wallet. "paw wallet create" adds one.';
  return 'Change the title or the description. An omitted field is unchanged.';
}

function createApp(reach?: Reach): Example {
  const project = reach && { project: reach.viewer.project.name };
  return example(commentOnCreation(reach), CREATE_APP, {
    input: { title: 'Back office', active: true, ...project },
  });
}

function commentOnCreation(reach?: Reach): string {
  if (reach?.viewer.readOnly) return READ_ONLY;
  if (reach?.viewer.level === 'PROJECT')
    return 'Only an account token can create apps, not this project token.';
  return 'Only this response contains the private key. The example SignIn gets it, too.';
}

function signIn(reach?: Reach, newApp?: NewApp): Example {
  const app = reach?.projects.nodes.flatMap(({ apps }) => apps.nodes)[0];
  const name = app?.name ?? 'apps/01ARZ3NDEKTSV4RRFFQ69G5FAV';
  const input = newApp ?? { name, privateKey: 'paw_key_…' };
  return example(commentOnSignIn(reach, newApp), SIGN_IN, { input });
}

function commentOnSignIn(reach?: Reach, newApp?: NewApp): string {
  if (reach?.viewer.readOnly) return READ_ONLY;
  if (newApp) return 'The app that you have created here, with its private key.';
  if (reach?.viewer.level === 'PROJECT') return 'Set "privateKey" to that of the app.';
  return 'Execute CreateApp first. The variables then contain the new app and its private key.';
}

function example(comment: string, operation: string, variables: object): Example {
  return { query: `# ${comment}\n${operation}`, variables: JSON.stringify(variables, null, 2) };
}
