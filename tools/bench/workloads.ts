import type { AccountData, BenchData } from './data.ts';
import type { Request } from './load.ts';

// Each function returns one that makes the nth request of a workload. No two of them are answered from what an earlier one has
// left: updates set another title each time, and the events that they make are not equal within a minute.

/** Makes the `n`th request of a workload. */
export type Requests = (n: number) => Request;

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

const NESTED_PAGE = `query Nested($first: Int, $after: String) {
  projects(first: $first, after: $after) {
    nodes { name title apps(first: 5) { nodes { name title } } wallets(first: 5) { nodes { name title address } } }
    pageInfo { endCursor hasNextPage }
  }
}`;

const WALLETS_BY_TITLE = `query Search($title: String, $first: Int) {
  wallets(title: $title, first: $first) {
    edges { cursor node { __typename id name title network address } }
    pageInfo { endCursor hasNextPage }
  }
}`;

const WALLET_BY_REFERENCE = `query Find($reference: String) {
  wallets(reference: $reference) { nodes { name title address reference } }
}`;

const EVENTS = `query Events($first: Int, $since: DateTime, $until: DateTime) {
  events(first: $first, since: $since, until: $until) {
    nodes { name action resource time lastTime by fields }
    pageInfo { endCursor hasNextPage }
  }
}`;

const CREATE_WALLET = `mutation Create($input: CreateWalletInput!) {
  createWallet(input: $input) { isNew wallet { name title network address reference project { name } } }
}`;

const CREATE_TOKEN = `mutation CreateToken($input: CreateTokenInput!) {
  createToken(input: $input) { accessToken token { name expireTime } }
}`;

// A token can have made 1,000 valid ones at most.
const TOKEN_LIFETIME_MS = 2000;

/** Pages of 10 projects, spread over `pages` places of the list, by GraphQL. */
export function graphqlPages(data: BenchData, pages: number): Requests {
  return (n) => graphql(data.account, n, PAGE, { first: 10, after: nthCursor(data, n, pages) });
}

/** Pages of 10 projects, spread over `pages` places of the list, by REST. */
export function restPages(data: BenchData, pages: number): Requests {
  return (n) =>
    request(data.account, n, 'GET', `/project/projects?pageSize=10&pageToken=${nthCursor(data, n, pages)}`);
}

/** Updates of the titles of all wallets of accounts in turn, by GraphQL. */
export function graphqlUpdates(accounts: readonly AccountData[]): Requests {
  return (n) => {
    const { account, turn, wallet, title } = nthUpdate(accounts, n);
    return graphql(account, turn, UPDATE, { input: { name: wallet, title } });
  };
}

/** Updates of the titles of all wallets of accounts in turn, by REST. */
export function restUpdates(accounts: readonly AccountData[]): Requests {
  return (n) => {
    const { account, turn, wallet, title } = nthUpdate(accounts, n);
    return request(account, turn, 'PATCH', `/wallet/${wallet}`, { title });
  };
}

/** Sign-ins of apps, by REST. */
export function signIns({ account, apps }: BenchData): Requests {
  return (n) =>
    request(account, n + Math.floor(n / apps.length), 'POST', '/auth/accounts:signinIdentity', {
      privateKey: apps[n % apps.length],
    });
}

/** Pages of 10 projects with apps and wallets of each, among the projects that have wallets, by GraphQL. */
export function nestedPages(data: BenchData): Requests {
  return (n) => graphql(data.account, n, NESTED_PAGE, { first: 10, after: data.cursorBehind(1 + (n % 90)) });
}

/** Searches for the wallets of an account by the beginning of their titles, by GraphQL. */
export function titleSearches({ account }: BenchData): Requests {
  // Of 10,000 wallets, the numbers with three digits: each is the beginning of 11 titles.
  const first = account.wallets.length / 100;
  return (n) =>
    graphql(account, n, WALLETS_BY_TITLE, {
      title: `wallet ${first + (scattered(n) % (9 * first))}`,
      first: 10,
    });
}

/** Reads of one wallet by its reference, by GraphQL. */
export function referenceLookUps({ account }: BenchData): Requests {
  const { length } = account.wallets;
  return (n) =>
    graphql(account, n, WALLET_BY_REFERENCE, { reference: `customer-${1 + (scattered(n) % length)}` });
}

/** Pages of 20 events of a time, which ends in the second half of the hour with events, by GraphQL. */
export function eventPages({ account, endTime }: BenchData): Requests {
  const end = Date.parse(endTime);
  return (n) => {
    const until = new Date(end - (scattered(n) % 1_800_000)).toISOString();
    return graphql(account, n, EVENTS, { first: 20, since: new Date(end - 3_600_000).toISOString(), until });
  };
}

/** Creations of wallets with a reference, by GraphQL. */
export function walletCreations({ account }: BenchData): Requests {
  return (n) =>
    graphql(account, n, CREATE_WALLET, {
      input: { title: titleOf(n, account.wallets.length), network: 'NETWORK_POLYGON', reference: `new-${n}` },
    });
}

/** Creations of account tokens, by GraphQL. */
export function tokenCreations({ account }: BenchData): Requests {
  return (n) =>
    graphql(account, n, CREATE_TOKEN, {
      input: {
        title: titleOf(n, account.wallets.length),
        expireTime: new Date(Date.now() + TOKEN_LIFETIME_MS).toISOString(),
      },
    });
}

/** Returns the cursor of the `n`th page, at one of `pages` places of the list. */
function nthCursor(data: BenchData, n: number, pages: number): string {
  return data.cursorBehind(1 + (n % pages) * Math.floor((data.count - 11) / pages));
}

/**
 * Returns the `n`th update. The accounts take turns, and so do the wallets of an account, never two neighbours in a row. In the
 * next round, each wallet is updated with the next token.
 */
function nthUpdate(accounts: readonly AccountData[], n: number) {
  const account = accounts[n % accounts.length] as AccountData;
  const inAccount = Math.floor(n / accounts.length);
  const { length } = account.wallets;
  const wallet = account.wallets[(inAccount * 7919) % length] ?? '';
  return { account, turn: inAccount + Math.floor(inAccount / length), wallet, title: titleOf(n, length) };
}

/** A title that searches find as often as the first ones. */
function titleOf(n: number, wallets: number): string {
  return `Wallet ${1 + (scattered(n) % wallets)} of customer ${n}`;
}

/** Spreads consecutive numbers over 32 bits. Source: Knuth, The Art of Computer Programming, 6.4, multiplicative hashing. */
function scattered(n: number): number {
  return Math.imul(n, 2_654_435_761) >>> 0;
}

function graphql(account: AccountData, n: number, query: string, variables: object): Request {
  return request(account, n, 'POST', '/graphql', { query, variables });
}

function request(
  { tokens }: AccountData,
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
