import type { BenchData } from './data.ts';
import type { Request } from './load.ts';

const PAGE = `query Page($first: Int, $after: String) {
  projects(first: $first, after: $after) {
    totalCount
    nodes { name title description imageCoverUrl imageCoverCid }
    pageInfo { hasNextPage endCursor }
  }
}`;

const UPDATE = `mutation Update($input: UpdateWalletInput!) {
  updateWallet(input: $input) { wallet { name title description network address password project { name } } }
}`;

const SIGN_IN = 'mutation SignIn($input: SignInInput!) { signIn(input: $input) { accessToken } }';

// Enough that no two connections ask for the same at the same time.
const VARIETY = 64;

/** Pages of a list, from its beginning on, by GraphQL. */
export function graphqlPages(data: BenchData, size: number, pages: number): readonly Request[] {
  return rotation((n) =>
    graphql(data, n, PAGE, {
      first: size,
      after: n % pages === 0 ? null : data.cursorBehind((n % pages) * size),
    }),
  );
}

/** The page behind each of these places, in turn. */
export function graphqlPagesBehind(
  data: BenchData,
  size: number,
  places: readonly number[],
): readonly Request[] {
  return rotation((n) => {
    const place = places[n % places.length] ?? 0;
    return graphql(data, n, PAGE, { first: size, after: place === 0 ? null : data.cursorBehind(place) });
  });
}

/** So many pages from all over a list of `total`, none like another. */
export function graphqlPagesSpread(
  data: BenchData,
  size: number,
  pages: number,
  total: number,
): readonly Request[] {
  const apart = Math.floor((total - size) / pages);
  return rotation(
    (n) => graphql(data, n, PAGE, { first: size, after: data.cursorBehind(1 + n * apart) }),
    pages,
  );
}

/** The first page, asked for so many times, by as many documents that differ or by fewer. */
export function graphqlDocuments(data: BenchData, times: number, count = times): readonly Request[] {
  return rotation(
    (n) => graphql(data, n, PAGE.replace('Page', `Page${n % count}`), { first: 10, after: null }),
    times,
  );
}

/** Pages of a list, from its beginning on, by REST. */
export function restPages(data: BenchData, size: number, pages: number): readonly Request[] {
  return rotation((n) => {
    const token = n % pages === 0 ? '' : `&pageToken=${data.cursorBehind((n % pages) * size)}`;
    return request(data, n, 'GET', `/project/projects?pageSize=${size}${token}`);
  });
}

/** New titles for all wallets, by GraphQL. */
export function graphqlUpdates(data: BenchData): readonly Request[] {
  return rotation((n) =>
    graphql(data, n, UPDATE, { input: { name: walletOf(data, n), title: `Title ${n}` } }),
  );
}

/** Pages of a list, and every so often a new title for a wallet, by GraphQL. */
export function graphqlMix(data: BenchData): readonly Request[] {
  const [pages, updates] = [graphqlPages(data, 10, 50), graphqlUpdates(data)];
  return rotation((n) => (n % 20 === 19 ? updates : pages)[n % VARIETY] as Request, 20 * VARIETY);
}

/** New titles for all wallets, by REST. */
export function restUpdates(data: BenchData): readonly Request[] {
  return rotation((n) => request(data, n, 'PATCH', `/wallet/${walletOf(data, n)}`, { title: `Title ${n}` }));
}

/** Signing in with all apps, by GraphQL. */
export function signIns(data: BenchData): readonly Request[] {
  return rotation((n) => graphql(data, n, SIGN_IN, { input: data.apps[n % data.apps.length] }));
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
