import { setTimeout as delay } from 'node:timers/promises';
import { type ApiName, request } from './acknowledged-changes.ts';
import { explainViolation, type Fields, type Operation } from './linearizability.ts';

type Response = Awaited<ReturnType<typeof request>>;

/** A request of a client, and what its response shows if its status is one of these. */
type Step = Pick<Operation, 'text' | 'set'> & {
  send(): Promise<Response>;
  readonly shown: Readonly<Record<string, (body: Response['body']) => Fields>>;
};

const CLIENTS = 12;
const RECENT_TOKENS = 4;

const UPDATE_WALLET =
  'mutation ($input: UpdateWalletInput!) { result: updateWallet(input: $input) { wallet { title description } } }';
const READ_WALLET = 'query ($name: ID!) { node(id: $name) { ... on Wallet { title description } } }';
const UPDATE_APP = 'mutation ($input: UpdateAppInput!) { updateApp(input: $input) { app { active } } }';
const SIGN_IN = 'mutation ($input: SignInInput!) { result: signIn(input: $input) { accessToken } }';

const VALID = { token: 'valid' };
const ENDED = { token: 'ended' };

/** Concurrent clients of one account, by both APIs of several instances, and the history of each resource. */
export class RecordedHistory {
  readonly #token: string;
  readonly #wallets: readonly string[];
  readonly #urls: () => readonly string[];
  readonly #resources = new Map<string, { readonly initial: Fields; readonly operations: Operation[] }>();
  readonly #statuses = new Map<string, number>();
  #apps: readonly { readonly name: string; readonly privateKey: string }[] = [];
  /** The tokens of the first app, the latest at the end. */
  readonly #tokens: string[] = [];
  #time = 0;

  /** @param urls returns the URLs of the instances, which may change */
  constructor(token: string, wallets: readonly string[], urls: () => readonly string[]) {
    this.#token = token;
    this.#wallets = wallets;
    this.#urls = urls;
  }

  /** The number of responses of each status. */
  get statuses(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#statuses);
  }

  /** Resolves when so many more responses of each status have arrived. */
  async receive(counts: Readonly<Record<string, number>>): Promise<void> {
    const before = this.statuses;
    const isMissing = ([status, count]: readonly [string, number]) =>
      (this.#statuses.get(status) ?? 0) < (before[status] ?? 0) + count;
    while (Object.entries(counts).some(isMissing)) await delay(10);
  }

  /** Runs the clients during `work`. Returns the explanations of what is not linearizable. */
  async during(work: () => Promise<void>): Promise<readonly string[]> {
    await this.#prepare();
    let isOver = false;
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!isOver) await this.#next();
    });
    try {
      await work();
    } finally {
      isOver = true;
      await Promise.all(clients);
    }
    for (const { name } of this.#apps) await this.#signIn(name);
    for (const url of this.#urls()) for (const name of this.#wallets) await this.#readWallet(name, url);
    return [...this.#resources].flatMap(([name, { initial, operations }]) => {
      const violation = explainViolation(initial, operations);
      return violation === undefined ? [] : [`${name}: ${violation}`];
    });
  }

  /** Creates an app with tokens, and an app that is switched. Gives the wallets their first values. */
  async #prepare(): Promise<void> {
    const [url = ''] = this.#urls();
    const create = { title: 'App', active: true };
    const created = [1, 2].map(() => request(url, this.#token, 'POST', '/auth/apps', create));
    this.#apps = (await Promise.all(created)).map(({ body }) => body);
    for (const { name } of this.#apps) this.#add(name, { active: 'true' });
    for (const name of this.#wallets) {
      const { body } = await request(url, this.#token, 'PATCH', `/wallet/${name}`, {});
      this.#add(name, valuesOf(body));
    }
  }

  #add(resource: string, initial: Fields): void {
    this.#resources.set(resource, { initial, operations: [] });
  }

  async #next(): Promise<void> {
    const kind = Math.random();
    const wallet = pick(this.#wallets);
    const token = pick(this.#tokens);
    if (kind < 0.3) return this.#updateWallet(wallet);
    if (kind < 0.55) return this.#readWallet(wallet);
    if (kind < 0.6) return this.#switchApp(this.#apps[1]?.name ?? '');
    if (kind < 0.7 || token === undefined) return this.#signIn(pick(this.#apps)?.name ?? '');
    return kind < 0.75 ? this.#signOut(token) : this.#use(token);
  }

  /** Sets the title, the description or both to a value that was never set before. */
  #updateWallet(name = ''): Promise<void> {
    const { api, url, at } = this.#target();
    const value = String(this.#time);
    const set = pick([{ title: value }, { description: value }, { title: value, description: value }]) ?? {};
    return this.#record(name, {
      text: `update by ${at}`,
      set,
      send: () =>
        api === 'REST'
          ? request(url, this.#token, 'PATCH', `/wallet/${name}`, set)
          : this.#graphql(url, UPDATE_WALLET, { input: { name, ...set } }),
      shown: { ok: (body) => valuesOf(body.data?.result.wallet ?? body) },
    });
  }

  #readWallet(name = '', instance?: string): Promise<void> {
    const { api, url, at } = this.#target(undefined, instance);
    return this.#record(name, {
      text: `read by ${at}`,
      set: {},
      send: () =>
        api === 'REST'
          ? request(url, this.#token, 'PATCH', `/wallet/${name}`, {})
          : this.#graphql(url, READ_WALLET, { name }),
      shown: { ok: (body) => valuesOf(body.data?.node ?? body) },
    });
  }

  #switchApp(name: string): Promise<void> {
    const { url, at } = this.#target('GraphQL');
    const active = Math.random() < 0.5;
    return this.#record(name, {
      text: `updateApp by ${at}`,
      set: { active: String(active) },
      send: () => this.#graphql(url, UPDATE_APP, { input: { name, active } }),
      shown: { ok: (body) => ({ active: String(body.data.updateApp.app.active) }) },
    });
  }

  /** Signs an app in, which reads whether the app is active, and creates a token. */
  async #signIn(name: string): Promise<void> {
    const { api, url, at } = this.#target();
    const privateKey = this.#apps.find((each) => each.name === name)?.privateKey ?? '';
    const key = { name, privateKey };
    await this.#record(name, {
      text: `signIn by ${at}`,
      set: {},
      send: () =>
        api === 'REST'
          ? request(url, this.#token, 'POST', '/auth/accounts:signinIdentity', { privateKey: key })
          : this.#graphql(url, SIGN_IN, { input: key }),
      shown: {
        ok: (body) => {
          // The tokens of the other app end when it is switched.
          if (name === this.#apps[0]?.name) this.#addToken(body.data?.result.accessToken ?? body.accessToken);
          return { active: 'true' };
        },
        APP_INACTIVE: () => ({ active: 'false' }),
      },
    });
  }

  #addToken(token: string): void {
    this.#add(token, VALID);
    this.#tokens.push(token);
    if (this.#tokens.length > RECENT_TOKENS) this.#tokens.shift();
  }

  #signOut(token: string): Promise<void> {
    const { url, at } = this.#target('GraphQL');
    const query = 'mutation { signOut { clientMutationId } }';
    return this.#record(token, {
      text: `signOut by ${at}`,
      set: ENDED,
      send: () => request(url, token, 'POST', '/graphql', { query }),
      // Two that run at the same time both succeed.
      shown: { ok: () => ENDED, TOKEN_INVALID: () => ENDED },
    });
  }

  #use(token: string): Promise<void> {
    const { api, url, at } = this.#target();
    return this.#record(token, {
      text: `request by ${at}`,
      set: {},
      send: () =>
        api === 'REST'
          ? request(url, token, 'GET', '/project/projects?pageSize=1')
          : request(url, token, 'POST', '/graphql', { query: '{ projects(first: 1) { nodes { name } } }' }),
      shown: { ok: () => VALID, TOKEN_INVALID: () => ENDED },
    });
  }

  #graphql(url: string, query: string, variables: object): Promise<Response> {
    return request(url, this.#token, 'POST', '/graphql', { query, variables });
  }

  #target(only?: ApiName, instance?: string) {
    const urls = this.#urls();
    const url = instance ?? pick(urls) ?? '';
    const api = only ?? pick<ApiName>(['GraphQL', 'REST']) ?? 'REST';
    return { api, url, at: `${api} of instance ${urls.indexOf(url) + 1}` };
  }

  /** Sends a request, and adds it to the history of its resource, unless it had no effect and showed nothing. */
  async #record(resource: string, { text, set, send, shown }: Step): Promise<void> {
    const operations = this.#resources.get(resource)?.operations;
    this.#time += 1;
    const start = this.#time;
    const { status, body } = await send();
    this.#time += 1;
    // A connection that is lost before the response says nothing about the effect.
    const outcome = body === undefined ? 'LOST' : status;
    this.#statuses.set(outcome, (this.#statuses.get(outcome) ?? 0) + 1);
    const show = shown[outcome];
    if (show) {
      // A refused request sets nothing.
      operations?.push({ text, set: outcome === 'ok' ? set : {}, shown: show(body), start, end: this.#time });
      return;
    }
    if (outcome === 'LOST' || outcome === 'RESULT_UNKNOWN')
      operations?.push({ text, set, start, end: Infinity });
    // What has failed would fail at once again.
    await delay(20);
  }
}

function valuesOf({ title, description }: Fields): Fields {
  return { title: String(title), description: String(description) };
}

function pick<T>(items: readonly T[]): T | undefined {
  return items[Math.floor(Math.random() * items.length)];
}
