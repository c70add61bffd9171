import { setTimeout as delay } from 'node:timers/promises';

export type ApiName = 'GraphQL' | 'REST';

// Longer than any request takes while a database fails over.
const DEADLINE_MS = 60_000;

const CREATE_APP =
  'mutation ($input: CreateAppInput!) { result: createApp(input: $input) { value: app { name } } }';
const UPDATE_WALLET =
  'mutation ($input: UpdateWalletInput!) { result: updateWallet(input: $input) { value: wallet { name } } }';

/** Sends a request. The status is `ok`, the reason of the error, or the error of a connection that failed. */
export async function request(url: string, token: string, method: string, path: string, body?: object) {
  try {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the shape follows from the request
    const answer = (await response.json()) as any;
    const reason = answer.error?.details[0].reason ?? answer.errors?.[0].extensions.reason;
    return { status: String(reason ?? 'ok'), body: answer };
  } catch (error) {
    return { status: String(error), body: undefined };
  }
}

/** Sends requests at a rate per second until `signal`, and waits for their responses. Returns their number. */
export async function sendAtRate(
  rate: number,
  maxInFlight: number,
  signal: AbortSignal,
  send: (n: number) => Promise<void>,
): Promise<number> {
  const start = performance.now();
  const inFlight = new Set<Promise<void>>();
  let count = 0;
  while (!signal.aborted) {
    const due = ((performance.now() - start) / 1000) * rate;
    if (count >= due || inFlight.size >= maxInFlight) {
      await delay(1);
      continue;
    }
    const sent = send(count).finally(() => inFlight.delete(sent));
    inFlight.add(sent);
    count += 1;
  }
  await Promise.all(inFlight);
  return count;
}

/** Changes of one account, and those of them that a gateway has acknowledged. */
export class Changes {
  /** The names of the acknowledged apps. */
  readonly apps: string[] = [];
  readonly #token: string;
  readonly #wallets: { readonly name: string; sent: number; acknowledged: number; isBusy: boolean }[];

  constructor(token: string, wallets: readonly string[]) {
    this.#token = token;
    this.#wallets = wallets.map((name) => ({ name, sent: 0, acknowledged: 0, isBusy: false }));
  }

  /** The number of acknowledged updates, or more if an update between them was not acknowledged. */
  get updates(): number {
    return this.#wallets.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  /** Creates an app. Returns the status. */
  async createApp(url: string, api: ApiName): Promise<string> {
    const fields = { title: 'App', active: true };
    const { status, value } = await this.#mutate(url, api, fields);
    if (status === 'ok') this.apps.push(value.name);
    return status;
  }

  /** Updates a wallet to which no other update is being sent. If there is none, it creates an app. */
  async updateWallet(url: string, api: ApiName): Promise<string> {
    const wallet = this.#wallets.find(({ isBusy }) => !isBusy);
    if (wallet === undefined) return this.createApp(url, api);
    wallet.isBusy = true;
    wallet.sent += 1;
    const { name, sent } = wallet;
    const { status } = await this.#mutate(url, api, { title: String(sent) }, name);
    if (status === 'ok') wallet.acknowledged = sent;
    wallet.isBusy = false;
    return status;
  }

  /** The number of acknowledged changes that a gateway does not show. */
  async countLost(url: string): Promise<number> {
    let lost = 0;
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
    for (let start = 0; start < this.apps.length; start += 100) {
      const ids = this.apps.slice(start, start + 100);
      const sent = { query, variables: { ids } };
      const { body } = await request(url, this.#token, 'POST', '/graphql', sent);
      lost += ids.filter((id, index) => body.data.nodes[index]?.id !== id).length;
    }
    for (const { name, acknowledged, sent } of this.#wallets) {
      const { body } = await request(url, this.#token, 'PATCH', `/wallet/${name}`, {});
      // The first title is not a number.
      const written = Number(body.title) || 0;
      if (written < acknowledged || written > sent) lost += 1;
    }
    return lost;
  }

  /** Updates a wallet, or creates an app if no wallet is named. */
  async #mutate(url: string, api: ApiName, fields: object, wallet?: string) {
    if (api === 'REST') {
      const [method, path] = wallet === undefined ? ['POST', '/auth/apps'] : ['PATCH', `/wallet/${wallet}`];
      const { status, body } = await request(url, this.#token, method, path, fields);
      return { status, value: body };
    }
    const query = wallet === undefined ? CREATE_APP : UPDATE_WALLET;
    const variables = { input: { ...fields, ...(wallet !== undefined && { name: wallet }) } };
    const { status, body } = await request(url, this.#token, 'POST', '/graphql', { query, variables });
    return { status, value: body?.data?.result?.value };
  }
}
