import { expect, test } from 'vitest';
import { setAccountSuspended } from '../../src/operator/set-account-suspended.ts';
import { graphqlApi } from '../support/both-apis.ts';
import { seedTenant, type Tenant, useGateway } from '../support/gateway.ts';
import { randomNumbers } from '../support/random-operation.ts';
import {
  createAccountToken,
  createApp,
  expiredToken,
  MISSING_APP,
  MISSING_PROJECT,
  MISSING_WALLET,
  ULID,
} from '../support/requests.ts';
import { SEED } from '../support/seed.ts';
import {
  type Kind,
  OPERATIONS,
  type Operation,
  Oracle,
  type Token,
  tokenName,
} from './permissions-oracle.ts';
import { byGraphql, byOauth, byRest, type Observed, REST_KINDS, TITLE } from './permissions-requests.ts';

// Random operations with every kind of token, by both APIs and OAuth, on two instances. An oracle of its own says which
// are allowed, and what is hidden has the response of what is missing, byte for byte.

// The worlds that run at the same time. They have no accounts in common.
const LANES = 8;
const REQUESTS_OF_WORLD = 100;
// A page has at most 100 items.
const MAX_ITEMS = 80;
const FIELDS_OF_DOCUMENT = 10;

const ADDRESSES = [1, 2, 3, 4].map((n) => `0x${String(n).padStart(40, '0')}`);

const REFERENCES = ['ref:1', 'ref:2', 'ref:3'];

const KINDS = Object.keys(OPERATIONS) as Kind[];
// A query for which the level of the token does not suffice leaves no data, so that it is alone in its document.
const QUERIES = KINDS.filter((kind) => !OPERATIONS[kind].isChange && OPERATIONS[kind].level === 'any');
const CHANGES = KINDS.filter((kind) => OPERATIONS[kind].isChange);

const MISSING = [MISSING_APP, MISSING_PROJECT, MISSING_WALLET];

const OAUTH_ERRORS: Readonly<Record<string, string>> = {
  INVALID_CREDENTIALS: 'invalid_client',
  APP_INACTIVE: 'unauthorized_client',
};

const first = useGateway();
const instances = [first, useGateway({}, first)];

test('an operation is allowed exactly if the oracle allows it, in 1,000 random checks', () => check(1000));

test(
  'an operation is allowed exactly if the oracle allows it, in 100,000 random checks',
  {
    tags: ['night/model'],
    timeout: 3_600_000,
  },
  () => check(100_000),
);

async function check(count: number): Promise<void> {
  const tally = new Tally();
  let worlds = 0;
  const runLane = async () => {
    while (tally.allowed + tally.refused < count) {
      worlds += 1;
      const world = await World.create(SEED + worlds, tally);
      await world.run();
    }
  };
  await Promise.all(Array.from({ length: LANES }, runLane));
  expect(tally.allowed).toBeGreaterThan(count / 4);
  expect(tally.refused).toBeGreaterThan(count / 4);
}

/** The checks so far, and the bytes of each kind of refusal. */
class Tally {
  allowed = 0;
  refused = 0;
  readonly #bytes = new Map<string, string>();

  compare(kind: string, request: object, { outcome, bytes }: Observed, expected: string): void {
    const message = `PAW_TEST_SEED=${SEED}: ${kind} ${JSON.stringify(request)}`;
    expect(outcome, message).toBe(expected);
    if (outcome.startsWith('ok')) {
      this.allowed += 1;
      return;
    }
    this.refused += 1;
    const key = `${kind} ${outcome}`;
    const text = JSON.stringify(bytes);
    expect(text, message).toBe(this.#bytes.get(key) ?? text);
    this.#bytes.set(key, text);
  }
}

/** Two accounts with their resources and tokens, and the oracle that knows them. */
class World {
  readonly #random: (below: number) => number;
  readonly #tally: Tally;
  readonly #oracle = new Oracle();
  readonly #tenants: Tenant[] = [];
  /** The tokens that were ever valid, and others. */
  readonly #tokens = [`paw_acct_${ULID}${ULID}_nonsense`];

  static async create(seed: number, tally: Tally): Promise<World> {
    const world = new World(seed, tally);
    for (let n = 0; n < 2; n += 1) await world.#addTenant();
    return world;
  }

  private constructor(seed: number, tally: Tally) {
    this.#random = randomNumbers(seed);
    this.#tally = tally;
  }

  async run(): Promise<void> {
    const { tokens, history } = this.#oracle;
    for (let n = 0; n < REQUESTS_OF_WORLD && Math.max(tokens.size, history.size) < MAX_ITEMS; n += 1) {
      await this.#suspendOrResume();
      const { url } = this.#pick(instances);
      const send = this.#pick([this.#byGraphql, this.#byGraphql, this.#byRest, this.#byOauth]);
      await send.call(this, url);
    }
  }

  async #byGraphql(url: string): Promise<void> {
    const caller = await this.#caller();
    const isAlone = this.#random(3) === 0;
    const kinds = isAlone ? KINDS : this.#pick([QUERIES, CHANGES]);
    const length = isAlone ? 1 : FIELDS_OF_DOCUMENT;
    const operations = Array.from({ length }, () => this.#operation(kinds));
    const observed = await byGraphql(url, caller, operations);
    for (const [n, operation] of operations.entries()) {
      const each = observed[n] as Observed;
      this.#compare(isAlone ? 'alone' : 'GraphQL', caller, operation, each);
      if (each.isRefused) return;
    }
  }

  async #byRest(url: string): Promise<void> {
    const caller = await this.#caller();
    const { project, ...operation } = this.#operation(REST_KINDS);
    // A new app has no project in its input.
    const sent = operation.kind === 'updateWallet' ? { ...operation, project } : operation;
    this.#compare('REST', caller, sent, await byRest(url, caller, sent));
  }

  /** Compares the outcome with that of the oracle, and makes the change there, too. */
  #compare(api: string, caller: string | undefined, operation: Operation, observed: Observed): void {
    const { kind } = operation;
    const token = this.#oracle.tokens.get(caller ?? '');
    const refusal = this.#oracle.refusal(caller, kind);
    const expected = refusal ?? (token ? this.#oracle.outcome(token, operation) : '');
    this.#tally.compare(`${api} ${kind}`, { token, operation }, observed, expected);
    if (!caller || !token || !expected.startsWith('ok')) return;
    this.#oracle.change(token, operation, observed.created);
    if (observed.created.accessToken) this.#tokens.push(observed.created.accessToken);
  }

  async #byOauth(url: string): Promise<void> {
    const oracle = this.#oracle;
    const { name, privateKey } = this.#operation(['signIn']);
    const text = this.#pick(this.#tokens);
    const app = { client_id: name, client_secret: privateKey };
    const refusal = OAUTH_ERRORS[oracle.signIn(name, privateKey)];
    switch (this.#pick(['token', 'introspect', 'revoke'])) {
      case 'token': {
        const isReadOnly = this.#yes();
        const form = { ...app, grant_type: 'client_credentials', scope: isReadOnly ? 'read' : 'read write' };
        const observed = await byOauth(url, 'token', form);
        this.#tally.compare('OAuth token', form, observed, refusal ?? 'ok');
        const { accessToken } = observed.created;
        if (accessToken === undefined) return;
        oracle.grant(accessToken, name, isReadOnly);
        this.#tokens.push(accessToken);
        return;
      }
      case 'introspect': {
        const form = { ...app, token: text };
        const expected = refusal ?? oracle.introspection(name, text);
        this.#tally.compare('OAuth introspect', form, await byOauth(url, 'introspect', form), expected);
        return;
      }
      default: {
        const isKeyed = this.#yes();
        const form = { ...(isKeyed && app), token: text };
        const expected = oracle.revocation(text, isKeyed ? { name, privateKey } : undefined);
        // A revocation that ends no token counts for the address of the client, and its headers say so.
        const kind = oracle.tokens.has(text) ? 'OAuth revoke' : 'OAuth revoke of none';
        this.#tally.compare(kind, form, await byOauth(url, 'revoke', form), expected);
        if (expected === 'ended') oracle.end(tokenName(text));
      }
    }
  }

  /** Returns a token of a random kind; a new one if there is none of this kind. */
  async #caller(): Promise<string | undefined> {
    if (this.#random(8) === 0) return this.#pick([undefined, ...this.#tokens]);
    const [isOfApp, isOneProject, isReadOnly] = [this.#yes(), this.#yes(), this.#yes()];
    const found = [...this.#oracle.tokens].filter(
      ([, { app, ...token }]) =>
        isReadOnly === token.isReadOnly && (app ? isOfApp : !isOfApp && isOneProject === token.isOneProject),
    );
    if (found.length > 0) return this.#pick(found)[0];
    return this.#issue(this.#pick(this.#tenants), { isOneProject, isReadOnly });
  }

  /** Issues an account token. */
  async #issue(
    { account, projects }: Tenant,
    { isOneProject, isReadOnly }: Pick<Token, 'isOneProject' | 'isReadOnly'>,
  ): Promise<string> {
    const project = this.#pick(projects.filter((each) => this.#oracle.places.has(each)));
    const restriction = { [isOneProject ? 'onlyProject' : 'project']: project, readOnly: isReadOnly };
    const { accessToken } = await createAccountToken(first.operator, { account, ...restriction }, 86_400);
    const name = tokenName(accessToken);
    this.#oracle.tokens.set(accessToken, { name, account, project, isOneProject, isReadOnly });
    this.#tokens.push(accessToken);
    return accessToken;
  }

  #operation<K extends Kind>(kinds: readonly K[]): Operation & { readonly kind: K } {
    let kind = this.#pick(kinds);
    // Otherwise most documents would end their token.
    if (kind === 'signOut' && this.#random(4) > 0) kind = this.#pick(kinds);
    const { apps } = this.#oracle;
    const name = this.#nameOf(this.#pick<string>(OPERATIONS[kind].targets));
    const ownKey = apps.get(name)?.privateKey;
    const anyKey = this.#pick([...apps.values()]).privateKey;
    return {
      kind,
      name,
      privateKey: ownKey !== undefined && this.#random(4) > 0 ? ownKey : anyKey,
      project: this.#yes() ? this.#nameOf('projects/') : undefined,
      reference: this.#yes() ? this.#nameOf('ref:') : undefined,
      active: this.#yes(),
    };
  }

  /** Returns an address, a reference, or the name of a resource or a token that exists, existed or is missing. */
  #nameOf(prefix: string): string {
    const tokens = this.#tokens.map(tokenName);
    const names = [...MISSING, ...ADDRESSES, ...REFERENCES, ...tokens, ...this.#oracle.history.keys()];
    return this.#pick(names.filter((name) => name.startsWith(prefix)));
  }

  async #suspendOrResume(): Promise<void> {
    const { suspended } = this.#oracle;
    const { account } = this.#pick(this.#tenants);
    const isSuspended = suspended.has(account);
    if (this.#random(isSuspended ? 4 : 60) > 0) return;
    await setAccountSuspended(first.operator, { name: account }, !isSuspended);
    if (isSuspended) suspended.delete(account);
    else suspended.add(account);
  }

  async #addTenant(): Promise<void> {
    const tenant = await seedTenant(first, {
      projects: 3,
      wallets: ADDRESSES.length,
      addresses: REQUESTS_OF_WORLD * FIELDS_OF_DOCUMENT,
    });
    const { account, projects, project, wallets, token } = tenant;
    this.#tenants.push(tenant);
    const access = { account, project, isOneProject: false, isReadOnly: false };
    this.#oracle.tokens.set(token, { name: tokenName(token), ...access });
    this.#tokens.push(token, await expiredToken(first, tenant));
    this.#oracle.defaults.add(project);
    for (const each of projects) {
      this.#oracle.add(each, account);
      const { name, privateKey } = await createApp(
        graphqlApi(() => first.url),
        token,
        { project: each, title: TITLE },
      );
      this.#oracle.add(name, account, each);
      this.#oracle.apps.set(name, { privateKey, isActive: true });
    }
    for (const [n, wallet] of wallets.entries()) {
      this.#oracle.add(wallet, account, project);
      this.#oracle.addresses.set(wallet, ADDRESSES[n] ?? '');
    }
  }

  #yes(): boolean {
    return this.#random(2) === 0;
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#random(items.length)] as T;
  }
}
