import type { BenchData } from './data.ts';
import type { Request } from './load.ts';

// Relay's compiler generates such a query for a paginated fragment: with the key fields of every object, and cursors.
export const PAGE = `query Projects($first: Int, $after: String) {
  projects(first: $first, after: $after) {
    edges { cursor node { __typename id name title description imageCoverUrl imageCoverCid } }
    pageInfo { endCursor hasNextPage }
  }
}`;

const UPDATE = `mutation Update($input: UpdateWalletInput!) {
  updateWallet(input: $input) { wallet { name title description network address password project { name } } }
}`;

// More than the connections, so that no two of them send the same request at the same time.
const VARIETY = 64;

/** Requests for `pages` different pages of 10, spread over the list, by GraphQL. */
export function graphqlPages(data: BenchData, pages: number): readonly Request[] {
  return rotation(
    (n) => graphql(data, n, PAGE, { first: 10, after: data.cursorBehind(placeOf(data, n, pages)) }),
    pages,
  );
}

/** Requests for `pages` different pages of 10, spread over the list, by REST. */
export function restPages(data: BenchData, pages: number): readonly Request[] {
  return rotation((n) => {
    const token = data.cursorBehind(placeOf(data, n, pages));
    return request(data, n, 'GET', `/project/projects?pageSize=10&pageToken=${token}`);
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

/** Sign-ins of `apps` apps, by REST. */
export function signIns(data: BenchData, apps: number): readonly Request[] {
  return rotation((n) =>
    request(data, n, 'POST', '/auth/accounts:signinIdentity', { privateKey: data.apps[n % apps] }),
  );
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
