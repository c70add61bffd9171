import { beforeEach, expect, inject } from 'vitest';
import { graphqlApi, graphqlOutcome, mutationDocument, type Outcome } from './both-apis.ts';
import { type Gateway, seedTenant, type Tenant, useGateway } from './gateway.ts';
import { type AppKey, createApp, credentialParts, keyOf, tokenNameOf } from './requests.ts';
import { pawJson } from './run-command.ts';

/** An event as `audit list` prints it. */
type Event = Readonly<Record<string, unknown>> & { readonly id: string; readonly count: number };

/** The parts of an event that follow from the act. */
type Act = Readonly<Record<string, unknown>> & { readonly action: string };

/** An account, with an app. */
export type Scene = Tenant & { readonly app: AppKey };

type Account = Pick<Tenant, 'account'>;

const MINUTE_MS = 60_000;

// Citus has no triggers, and SQLite no constraints that are added later.
const REFUSE_EVENTS =
  inject('engine') === 'postgres'
    ? 'ALTER TABLE audit_event ADD CONSTRAINT refuse_event CHECK (FALSE) NOT VALID'
    : `CREATE TRIGGER refuse_event BEFORE INSERT ON audit_event BEGIN SELECT RAISE(ABORT, 'Refused.'); END`;

const ACCEPT_EVENTS =
  inject('engine') === 'postgres'
    ? 'ALTER TABLE audit_event DROP CONSTRAINT refuse_event'
    : 'DROP TRIGGER refuse_event';

/** A gateway of a test file, whose audit events are read by the command. */
export class AuditTrail {
  readonly gateway: Gateway = useGateway({ PAW_TRUSTED_PROXIES: '127.0.0.1' });

  constructor() {
    // The counted events of one test are not those of another.
    beforeEach(() => this.nextMinute());
  }

  /** Runs a command that has to succeed, and returns what it prints. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the values
  run(words: readonly string[], input?: string): Promise<any> {
    return pawJson(words, { DATABASE_URL: this.gateway.databaseUrl }, input);
  }

  /** Returns the events of an account, the oldest first. */
  async eventsOf({ account }: Account): Promise<Event[]> {
    const all: Event[] = [];
    for (let pageToken = ''; ; ) {
      const page = ['--page-size', '100', '--page-token', pageToken];
      const { events, nextPageToken } = await this.run(['audit', 'list', '--account', account, ...page]);
      all.push(...events);
      if (nextPageToken === '') return all.toReversed();
      pageToken = nextPageToken;
    }
  }

  /** Does something, and returns its result with the events of an account that it adds or changes, without their ids. */
  async recorded<T>(tenant: Account, work: () => Promise<T>) {
    const before = (await this.eventsOf(tenant)).map((event) => JSON.stringify(event));
    const result = await work();
    const after = await this.eventsOf(tenant);
    const added = after.filter((event) => !before.includes(JSON.stringify(event)));
    return { result, events: added.map(({ id: _, ...fields }) => fields) };
  }

  nextMinute(): void {
    this.gateway.clock.advance(MINUTE_MS);
  }

  /** The event of an act of a client with a token. */
  ofClient({ account }: Account, token: string, { response }: Outcome<unknown>, act: Act) {
    const time = new Date(this.gateway.clock()).toISOString();
    return {
      time,
      lastTime: time,
      account,
      token: '',
      fields: [],
      count: 1,
      actor: 'credential',
      credential: credentialParts(token).id,
      // The tokens of a scene have no title.
      ...{ app: '', actorTitle: '', by: tokenNameOf(token) },
      address: '127.0.0.1',
      requestId: response.headers.get('x-request-id'),
      ...act,
    };
  }

  /** Runs a mutation of GraphQL with an input. */
  mutate(mutation: string, token: string, input: object): Promise<Outcome<object>> {
    return graphqlOutcome(this.gateway.url, token, mutationDocument(mutation), { input }, () => ({}));
  }

  async seedScene(): Promise<Scene> {
    const tenant = await seedTenant(this.gateway, { projects: 2, wallets: 2 });
    const api = graphqlApi(() => this.gateway.url);
    return { ...tenant, app: keyOf(await createApp(api, tenant.token)) };
  }

  /** Runs `work` while no event can be inserted. */
  async withoutEvents(work: () => Promise<void>): Promise<void> {
    await this.gateway.database.write(REFUSE_EVENTS);
    try {
      await work();
    } finally {
      await this.gateway.database.write(ACCEPT_EVENTS);
    }
  }
}

const NO_REQUEST = { address: '', requestId: '' };

/** The event of an act of the operator. */
export function ofOperator({ account }: Account, act: Act) {
  const nobody = { ...{ actor: 'operator', by: 'the operator' }, credential: '', app: '', actorTitle: '' };
  const time = expect.stringMatching(/^\d{4}-/);
  return { time, lastTime: time, account, token: '', fields: [], count: 1, ...nobody, ...NO_REQUEST, ...act };
}

/** Replaces `$` and a name by the name of the resource. */
export function filled<T>(template: T, { account, projects, wallets, app }: Scene, result: object = {}): T {
  const names = { account, project: projects[0], other: projects[1], wallet: wallets[0], app: app.name };
  const values: Readonly<Record<string, unknown>> = { ...result, ...names };
  return JSON.parse(JSON.stringify(template).replace(/\$(\w+)/g, (_, name) => String(values[name])));
}

/** Expects these events, in any order. */
export function expectEvents(events: readonly object[], expected: readonly object[]): void {
  expect(events).toHaveLength(expected.length);
  expect(events).toEqual(expect.arrayContaining(expected.map((each) => expect.objectContaining(each))));
}
