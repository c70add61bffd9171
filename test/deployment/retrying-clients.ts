import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { mutationDocument } from '../support/both-apis.ts';
import type { Tenant } from '../support/gateway.ts';

const UPDATE_WALLET = mutationDocument('updateWallet');

// So that the servers have time for other work.
const PAUSE_MS = 10;

/**
 * Clients, one for each wallet of a tenant, that create an app by REST and update the wallet by GraphQL in turn. Each repeats
 * a request, with its key, until it is acknowledged.
 */
export class RetryingClients {
  /** The titles of the acknowledged apps, all different. */
  readonly apps: string[] = [];
  /** The last acknowledged title of each wallet. */
  readonly wallets = new Map<string, string>();
  /** What became of each request that was not acknowledged. */
  failures: string[] = [];
  /** The longest time without an acknowledgement. */
  longestGapMs = 0;
  #lastSuccessMs = performance.now();
  #isOver = false;
  readonly #url: string;
  readonly #token: string;
  readonly #running: Promise<unknown>;

  constructor(url: string, { token, wallets }: Tenant) {
    this.#url = url;
    this.#token = token;
    this.#running = Promise.all(wallets.map((wallet, client) => this.#work(wallet, client)));
  }

  /** Forgets the failures and the gaps so far. */
  forget(): void {
    this.failures = [];
    this.longestGapMs = 0;
  }

  /** Waits for further acknowledged changes. */
  async proceed(): Promise<void> {
    const { length } = this.apps;
    await expect.poll(() => this.apps.length).toBeGreaterThan(length + 50);
  }

  /** Stops, and waits for the last responses. Throws if a request was not acknowledged. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #work(wallet: string, client: number): Promise<void> {
    for (let n = 1; !this.#isOver; n += 1) {
      const title = `${client}-${n}`;
      await this.#send('/auth/apps', { title, active: true }, `create-${title}`);
      this.apps.push(title);
      const variables = { input: { name: wallet, title } };
      await this.#send('/graphql', { query: UPDATE_WALLET, variables }, `update-${title}`);
      this.wallets.set(wallet, title);
      await delay(PAUSE_MS);
    }
  }

  async #send(path: string, body: object, key: string): Promise<void> {
    for (;;) {
      const outcome = await this.#post(path, body, key);
      if (outcome === 'ok') break;
      if (this.#isOver) throw new Error(outcome);
      this.failures.push(outcome);
      await delay(PAUSE_MS);
    }
    const now = performance.now();
    this.longestGapMs = Math.max(this.longestGapMs, now - this.#lastSuccessMs);
    this.#lastSuccessMs = now;
  }

  async #post(path: string, body: object, key: string): Promise<string> {
    try {
      const response = await fetch(this.#url + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.#token}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      return response.ok && !text.includes('"errors":') ? 'ok' : `${response.status} ${text}`;
    } catch (error) {
      return String(error);
    }
  }
}
