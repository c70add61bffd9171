import type { BenchData } from './data.ts';
import type { Request } from './load.ts';

// Relay's compiler generates such a query for a paginated fragment: with the key fields of every object, and cursors.
export const PAGE = `query Projects($first: Int, $after: String) {
  projects(first: $first, after: $after) {
    edges { cursor node { __typename id name title description imageCoverUrl imageCoverCid } }
    pageInfo { endCursor hasNextPage }
  }
}`;

// The same rows with the field names of PostGraphile.
const POSTGRAPHILE_PAGE = `query Projects($account: String!, $first: Int, $after: Cursor) {
  allProjects(condition: { accountId: $account }, first: $first, after: $after) {
    edges { cursor node { __typename id rowId title description imageCoverCid } }
    pageInfo { endCursor hasNextPage }
  }
}`;

const UPDATE = `mutation Update($input: UpdateWalletInput!) {
  updateWallet(input: $input) { wallet { name title description network address password project { name } } }
}`;

const WALLET_FIELDS = '__typename id name title description network address';

const WALLETS_OF_PROJECT = `query Wallets($project: ID!, $after: String, $title: String) {
  node(id: $project) {
    ... on Project { wallets(first: 10, after: $after, title: $title) { nodes { ${WALLET_FIELDS} } pageInfo { endCursor hasNextPage } } }
  }
}`;

const WALLETS_AT_ADDRESS = `query Wallets($address: Address!) {
  wallets(first: 10, address: $address) { nodes { ${WALLET_FIELDS} } pageInfo { endCursor hasNextPage } }
}`;

// More than the connections, so that no two of them send the same request at the same time.
const VARIETY = 64;

/** Requests for `pages` different pages of 10, spread over the list, by GraphQL. */
export function graphqlPages(data: BenchData, pages: number, query = PAGE): readonly Request[] {
  return rotation(
    (n) => graphql(data, n, query, { first: 10, after: data.cursorBehind(placeOf(data, n, pages)) }),
    pages,
  );
}

/** The same pages with the field names of PostGraphile. @param cursor a PostGraphile cursor, as a pattern */
export function postgraphilePages(data: BenchData, pages: number, cursor: string): readonly Request[] {
  const parts: readonly string[] = JSON.parse(Buffer.from(cursor, 'base64').toString());
  return rotation((n) => {
    const place = [...parts.slice(0, -1), data.projectId(placeOf(data, n, pages))];
    const after = Buffer.from(JSON.stringify(place)).toString('base64');
    return graphql(data, n, POSTGRAPHILE_PAGE, { account: data.account, first: 10, after });
  }, pages);
}

/** `times` requests for the first page, by `count` different documents. */
export function graphqlDocuments(data: BenchData, times: number, count = times): readonly Request[] {
  return rotation(
    (n) => graphql(data, n, PAGE.replace('Projects', `Projects${n % count}`), { first: 10, after: null }),
    times,
  );
}

/** Requests for `pages` different pages of 10, spread over the list, by REST. */
export function restPages(data: BenchData, pages: number): readonly Request[] {
  return rotation((n) => {
    const token = data.cursorBehind(placeOf(data, n, pages));
    return request(data, n, 'GET', `/project/projects?pageSize=10&pageToken=${token}`);
  }, pages);
}

/** Requests for `pages` different pages of 10 wallets of a project, spread over the list, by GraphQL. */
export function walletPages(data: BenchData, pages: number): readonly Request[] {
  return rotation((n) => {
    const variables = { project: projectOf(data), after: data.cursorBehind(placeOf(data, n, pages)) };
    return graphql(data, n, WALLETS_OF_PROJECT, variables);
  }, pages);
}

/** The first 10 wallets of a project whose titles begin with a text, by GraphQL. */
export function walletsByTitle(
  data: BenchData,
  pages: number,
  titleOf: (n: number) => string,
): readonly Request[] {
  return rotation((n) => {
    const variables = { project: projectOf(data), title: titleOf(placeOf(data, n, pages)) };
    return graphql(data, n, WALLETS_OF_PROJECT, variables);
  }, pages);
}

/** The wallets at addresses, by GraphQL. */
export function walletsAtAddresses(data: BenchData, pages: number): readonly Request[] {
  return rotation((n) => {
    const address = `0x${String(placeOf(data, n, pages)).padStart(40, '0')}`;
    return graphql(data, n, WALLETS_AT_ADDRESS, { address });
  }, pages);
}

/** Updates of the titles of all wallets, by GraphQL. */
export function graphqlUpdates(data: BenchData): readonly Request[] {
  return rotation((n) =>
    graphql(data, n, UPDATE, { input: { name: walletOf(data, n), title: `Title ${n}` } }),
  );
}

/** Updates of the titles of all wallets, by REST. */
export function restUpdates(data: BenchData): readonly Request[] {
  return rotation((n) => request(data, n, 'PATCH', `/wallet/${walletOf(data, n)}`, { title: `Title ${n}` }));
}

/** Pages, with an update of a wallet title after every 19 pages, by GraphQL. */
export function graphqlMix(data: BenchData, pages: number): readonly Request[] {
  const [reads, updates] = [graphqlPages(data, pages), graphqlUpdates(data)];
  return reads.map((read, n) => (n % 20 === 19 ? (updates[n % VARIETY] as Request) : read));
}

/** Sign-ins of `apps` apps, by REST. */
export function signIns(data: BenchData, apps: number): readonly Request[] {
  return rotation((n) =>
    request(data, n, 'POST', '/auth/accounts:signinIdentity', { privateKey: data.apps[n % apps] }),
  );
}

/** Requests of `apps` apps for a token, by OAuth. */
export function oauthTokens(data: BenchData, apps: number): readonly Request[] {
  return rotation((n) => {
    const { name, privateKey } = data.apps[n % apps] ?? { name: '', privateKey: '' };
    return {
      method: 'POST',
      path: '/oauth/token',
      headers: {
        authorization: `Basic ${Buffer.from(`${name}:${privateKey}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    };
  });
}

function projectOf({ projectId }: BenchData): string {
  return `projects/${projectId(1)}`;
}

/** The position of the `n`th page. The pages are spread over the list. */
function placeOf({ count }: BenchData, n: number, pages: number): number {
  return 1 + n * Math.floor((count - 11) / pages);
}

function graphql(data: BenchData, n: number, query: string, variables: object): Request {
  return request(data, n, 'POST', '/graphql', { query, variables });
}

function request(
  { tokens }: BenchData,
  n: number,
  method: Request['method'],
  path: string,
  body?: object,
): Request {
  const authorization = `Bearer ${tokens[n % tokens.length]}`;
  return body === undefined
    ? { method, path, headers: { authorization }, body: null }
    : {
        method,
        path,
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      };
}

function rotation(make: (n: number) => Request, length = VARIETY): readonly Request[] {
  return Array.from({ length }, (_, n) => make(n));
}

function walletOf({ wallets }: BenchData, n: number): string {
  return wallets[n % wallets.length] ?? '';
}
