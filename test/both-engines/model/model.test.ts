import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { createProject } from '../../../src/data/create-project.ts';
import { revokeToken } from '../../../src/data/revoke-token.ts';
import { updateApp } from '../../../src/data/update-app.ts';
import { ApiError } from '../../../src/model/api-error.ts';
import { graphqlBody, MISSING_APP, MISSING_PROJECT, MISSING_WALLET } from '../../support/actors.ts';
import { type Api, bothApis, graphqlOutcome, type Outcome } from '../../support/apis.ts';
import { type Gateway, makeDatabase, seedTenant, startGateway } from '../../support/gateway.ts';
import { type Cursor, type Result, type State, type Step, stateAfter } from './model.ts';
import { batches, type Draft } from './steps.ts';

// Random sequences of all operations, by several principals, on two instances and by both APIs. The steps of a
// batch run at the same time. Their results must be those of the model in some order of the steps.

const STEPS = Number(process.env['PAW_TEST_MODEL_STEPS'] ?? 2000);

const MAX_BATCHES = 60;

const DAY_MS = 86_400_000;

const UNKNOWN_TOKEN = 'paw_app_unknown';

let instances: readonly Gateway[];
let apis: readonly (readonly Api[])[];

beforeAll(async () => {
  const made = await makeDatabase();
  const first = await startGateway({ DATABASE_URL: made.url });
  instances = [first, await startGateway({ DATABASE_URL: made.url }, first.clock)];
  apis = instances.map(({ url }) => bothApis(() => url));
  return async () => {
    for (const instance of instances) await instance.stop();
    await made.remove();
  };
});

test(`${STEPS} random steps have the results of the model`, async () => {
  let count = 0;
  const property = fc.asyncProperty(batches(MAX_BATCHES), async (sequence) => {
    const world = await World.create();
    for (const drafts of sequence) {
      count += drafts.length;
      await world.run(drafts);
    }
  });
  while (count < STEPS) await fc.assert(property, { numRuns: 10, endOnFailure: count > STEPS / 2 });
}, 600_000);

/** A run of one sequence: the resources that it can use, and all states of the model that explain its results. */
class World {
  readonly #accountTokens: readonly string[];
  /** All tokens, those of apps at the end. */
  readonly #tokens: string[];
  readonly #apps: { readonly name: string; readonly privateKey: string }[] = [
    { name: MISSING_APP, privateKey: 'paw_key_unknown' },
  ];
  readonly #cursors: Cursor[] = [];
  readonly #accounts: readonly string[];
  readonly #projects: readonly string[];
  readonly #wallets: readonly string[];
  #states: readonly State[];

  static async create(): Promise<World> {
    const [gateway] = instances as [Gateway];
    const tenants = [
      await seedTenant(gateway, { projects: 3, wallets: 2 }),
      await seedTenant(gateway, { projects: 1, wallets: 1 }),
    ];
    const tokens = new Map();
    const projects = new Map();
    const wallets = new Map();
    for (const { account, token, projects: names, wallets: walletNames } of tenants) {
      const expireTimeMs = gateway.clock() + DAY_MS;
      tokens.set(token, { account, project: names[0], app: undefined, expireTimeMs });
      for (const name of names) projects.set(name, account);
      for (const name of walletNames)
        wallets.set(name, { account, ...(await readWallet(gateway, token, name)) });
    }
    return new World({ now: gateway.clock(), projects, wallets, tokens, apps: new Map() }, tenants);
  }

  private constructor(state: State, tenants: readonly { readonly account: string }[]) {
    this.#states = [state];
    this.#accounts = tenants.map(({ account }) => account);
    this.#accountTokens = [...state.tokens.keys()];
    this.#tokens = [...this.#accountTokens, UNKNOWN_TOKEN];
    this.#projects = [MISSING_PROJECT, ...state.projects.keys()];
    this.#wallets = [MISSING_WALLET, ...state.wallets.keys()];
  }

  /** Runs the steps of a batch at the same time, and compares their results with the model. */
  async run(drafts: readonly Draft[]): Promise<void> {
    const steps = drafts.map((draft) => this.#stepOf(draft));
    const results = await Promise.all(steps.map((step, index) => execute(step, drafts[index] as Draft)));
    const observed = steps.map((step, index) => [step, results[index] as Result] as const);
    const states = this.#states.flatMap((state) => statesAfter(state, observed, state));
    if (states.length === 0) {
      const [state] = this.#states;
      expect.fail(
        `No order of the steps explains ${inspectSteps(observed)} from ${inspectState(state as State)}`,
      );
    }
    this.#states = distinct(states);
    for (const [step, result] of observed) this.#remember(step, result);
  }

  #stepOf({ api, kind, token: tokenIndex, target, other, flag, input }: Draft): Step {
    // Most tokens have ended. Half of the steps use one of the account tokens.
    const token = tokenIndex % 2 === 0 ? pick(this.#accountTokens, target) : pick(this.#tokens, tokenIndex);
    const app = pick(this.#apps, target);
    const project = pick(this.#projects, other);
    switch (kind) {
      case 'createApp':
        return {
          kind,
          token,
          // Only GraphQL can name a project.
          input: {
            title: input['title'] ?? 'App',
            active: flag || other % 2 === 0,
            ...(api === 0 && flag && { project }),
          },
        };
      case 'updateApp': {
        const { title } = input;
        return {
          kind,
          token,
          input: {
            name: app.name,
            ...(title !== undefined && { title }),
            ...(flag && { active: other % 2 === 0 }),
          },
        };
      }
      case 'rotateAppKey':
        return { kind, token, name: app.name, gracePeriod: pick([0, 60, 1200, 604_801], other) };
      case 'viewer':
        return { kind, token };
      case 'signOut':
        // Account tokens are ended seldom, because little can be done afterwards.
        return {
          kind,
          token: other < 2 ? token : (this.#tokens[this.#accountTokens.length + target] ?? UNKNOWN_TOKEN),
        };
      case 'signIn': {
        const { privateKey } = other % 4 === 0 ? pick(this.#apps, other) : app;
        return { kind, token, input: { name: app.name, privateKey } };
      }
      case 'updateWallet': {
        const wallet = pick(this.#wallets, target);
        return { kind, token, wallet, input: { ...input, ...(flag && other % 3 === 0 && { project }) } };
      }
      case 'listProjects': {
        const after = flag && this.#cursors.length > 0 ? pick(this.#cursors, other) : undefined;
        return { kind, token, first: target % 5, after };
      }
      case 'createProject':
        return { kind, account: pick(this.#accounts, target) };
      case 'setAppActive':
        return { kind, app: app.name, active: flag };
      case 'revokeToken':
        // Account tokens are revoked seldom, because little can be done afterwards.
        return {
          kind,
          token: other < 2 ? token : (this.#tokens[this.#accountTokens.length + target] ?? UNKNOWN_TOKEN),
        };
      case 'advanceClock':
        return { kind, ms: target * 60_000 };
    }
  }

  #remember(step: Step, { value, reason }: Result): void {
    if (reason !== 'ok') return;
    // A rotation adds a further key of the same app.
    if (step.kind === 'createApp' || step.kind === 'rotateAppKey') this.#apps.push(value);
    if (step.kind === 'signIn') this.#tokens.push(value.accessToken);
    if (step.kind === 'listProjects' && value.nextPageToken !== '') {
      this.#cursors.push({ token: value.nextPageToken, project: value.projects.at(-1) });
    }
  }
}

const APP = 'name title privateKey active';
const UPDATE_APP = `mutation ($input: UpdateAppInput!) { updateApp(input: $input) { app { ${APP} } } }`;
const ROTATE_APP_KEY = `mutation ($input: RotateAppKeyInput!) { rotateAppKey(input: $input) { app { ${APP} } } }`;
const SIGN_OUT = 'mutation { signOut { clientMutationId } }';
const VIEWER = '{ viewer { level account project { name } app { name } expireTime } }';

// biome-ignore lint/suspicious/noExplicitAny: the model checks the values
function viewerIn({ viewer: { level, account, project, app, expireTime } }: any) {
  expect(level).toBe(app === null ? 'ACCOUNT' : 'PROJECT');
  return { account, project: project.name, app: app?.name, expireTimeMs: Date.parse(expireTime) };
}

async function execute(step: Step, draft: Draft): Promise<Result> {
  const [{ admin, clock, url }, [...both]] = [pick(instances, draft.instance), pick(apis, draft.instance)];
  const api = pick(both, draft.api);
  // biome-ignore lint/suspicious/noExplicitAny: the model checks the values
  const graphql = (token: string, query: string, variables: object, read: (data: any) => unknown) =>
    graphqlOutcome(url, token, query, variables, read);
  switch (step.kind) {
    case 'createApp':
      return resultOf(await api.createApp(step.token, step.input));
    case 'updateApp':
      return resultOf(
        await graphql(step.token, UPDATE_APP, { input: step.input }, ({ updateApp }) => updateApp.app),
      );
    case 'rotateAppKey': {
      const { token, name, gracePeriod } = step;
      const input = { name, gracePeriod };
      return resultOf(
        await graphql(token, ROTATE_APP_KEY, { input }, ({ rotateAppKey }) => rotateAppKey.app),
      );
    }
    case 'signOut':
      return resultOf(await graphql(step.token, SIGN_OUT, {}, () => undefined));
    case 'viewer':
      return resultOf(await graphql(step.token, VIEWER, {}, viewerIn));
    case 'signIn':
      return resultOf(await api.signIn(step.token, step.input));
    case 'updateWallet':
      return resultOf(await api.updateWallet(step.token, step.wallet, step.input));
    case 'listProjects': {
      const result = resultOf(
        await api.listProjects(step.token, { first: step.first, after: step.after?.token }),
      );
      if (result.value === undefined) return result;
      const { projects, nextPageToken } = result.value;
      return {
        ...result,
        value: { projects: projects.map(({ name }: { name: string }) => name), nextPageToken },
      };
    }
    case 'createProject':
      return resultOfAct(
        createProject(admin, { account: step.account, title: 'Project' }).then(({ name }) => name),
      );
    case 'setAppActive':
      return resultOfAct(
        updateApp(admin, 'operator', { name: step.app, active: step.active }).then(() => undefined),
      );
    case 'revokeToken':
      return resultOfAct(revokeToken(admin, step.token));
    case 'advanceClock':
      clock.advance(step.ms);
      return { reason: 'ok', fields: [] };
  }
}

function resultOf({ value, error }: Outcome<unknown>): Result {
  return error ? { reason: error.reason, fields: error.fields } : { reason: 'ok', fields: [], value };
}

async function resultOfAct(act: Promise<unknown>): Promise<Result> {
  try {
    return { reason: 'ok', fields: [], value: await act };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { reason: error.reason, fields: error.fieldViolations.map(({ field }) => field) };
  }
}

/** Returns the states after the steps in each order that explains their results. */
function statesAfter(
  state: State,
  observed: readonly (readonly [Step, Result])[],
  start: State,
): readonly State[] {
  if (observed.length === 0) return [state];
  return observed.flatMap(([step, result], index) => {
    const next = stateAfter(state, step, result, start);
    return next === undefined ? [] : statesAfter(next, observed.toSpliced(index, 1), start);
  });
}

function distinct(states: readonly State[]): readonly State[] {
  return [...new Map(states.map((state) => [inspectState(state), state])).values()];
}

function inspectState(state: State): string {
  return JSON.stringify(state, (_, value) =>
    value instanceof Map ? Object.fromEntries([...value].sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}

function inspectSteps(observed: readonly (readonly [Step, Result])[]): string {
  return JSON.stringify(observed, undefined, 1);
}

async function readWallet({ url }: Gateway, token: string, id: string) {
  const query = `query ($id: ID!) {
    node(id: $id) { ... on Wallet { title description project { name } network address } }
  }`;
  const { data } = await graphqlBody(url, token, query, { id });
  return { ...data.node, project: data.node.project.name };
}

function pick<T>(items: readonly T[], index: number): T {
  return items[index % items.length] as T;
}
