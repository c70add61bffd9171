// @module-tag night/model

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCredential } from '../../../src/credentials/credential.ts';
import { DEFAULT_TOKEN_DAYS } from '../../../src/model/token.ts';
import { bothApis, graphqlOutcome, mutationDocument, type Outcome } from '../../support/both-apis.ts';
import { type Gateway, seedTenant, useGateway } from '../../support/gateway.ts';
import { MISSING_APP, MISSING_PROJECT, MISSING_WALLET, resultOf, ULID } from '../../support/requests.ts';
import { SEED } from '../../support/seed.ts';
import { type Cursor, type Result, type State, type Step, stateAfter } from './database-model.ts';
import { batches, type Draft, type Input, type Kind } from './model-steps.ts';

// Random sequences of all operations, by several principals, on two instances and by both APIs. The steps of a
// batch run at the same time. Their results must be those of the model in some order of the steps.

const STEPS = Number(process.env['PAW_TEST_MODEL_STEPS'] ?? 2000);

const MAX_BATCHES = 60;

/** The average number of steps of a sequence. */
const STEPS_PER_RUN = 70;

const DAY_MS = 86_400_000;

const UNKNOWN_TOKEN = 'paw_app_unknown';

const first = useGateway();
const instances = [first, useGateway({}, first)];

test(`about ${STEPS} random steps have the results of the model`, async () => {
  const property = fc.asyncProperty(batches(MAX_BATCHES), async (sequence) => {
    const world = await World.create();
    for (const drafts of sequence) await world.run(drafts);
  });
  const numRuns = Math.ceil(STEPS / STEPS_PER_RUN);
  // A shorter sequence would have other timing.
  await fc.assert(property, { seed: SEED, numRuns, endOnFailure: true });
}, 3_600_000);

/** A run of one sequence: the resources that it can use, and all states of the model that explain its results. */
class World {
  readonly #accountTokens: readonly string[];
  /** All tokens, those of apps at the end. */
  readonly #tokens: string[];
  readonly #apps: { readonly name: string; readonly privateKey: string }[] = [
    { name: MISSING_APP, privateKey: 'paw_key_unknown' },
  ];
  readonly #cursors: Cursor[] = [];
  readonly #projects: readonly string[];
  readonly #wallets: readonly string[];
  #states: readonly State[];

  static async create(): Promise<World> {
    const [api] = bothApis(() => first.url);
    const state = { now: first.clock(), projects: new Map(), wallets: new Map(), tokens: new Map() };
    for (const counts of [{ projects: 3, wallets: 2 }, { wallets: 1 }]) {
      const { account, token, projects, wallets } = await seedTenant(first, counts);
      state.tokens.set(token, {
        account,
        project: projects[0],
        expireTimeMs: state.now + DEFAULT_TOKEN_DAYS * DAY_MS,
      });
      for (const name of projects) state.projects.set(name, account);
      for (const name of wallets) {
        const value = await resultOf(api.updateWallet(token, name, {}));
        state.wallets.set(name, { account, project: value.project, value });
      }
    }
    return new World({ ...state, apps: new Map() });
  }

  private constructor(state: State) {
    this.#states = [state];
    this.#accountTokens = [...state.tokens.keys()];
    this.#tokens = [...this.#accountTokens, UNKNOWN_TOKEN];
    this.#projects = [MISSING_PROJECT, ...state.projects.keys()];
    this.#wallets = [MISSING_WALLET, ...state.wallets.keys()];
  }

  /** Runs the steps of a batch at the same time, and compares their results with the model. */
  async run(drafts: readonly Draft[]): Promise<void> {
    const observed = await Promise.all(
      drafts.map(async (draft): Promise<Observed> => {
        const step = this.#stepOf(draft);
        return [step, await execute(step, draft)];
      }),
    );
    const states = this.#states.flatMap((state) => statesAfter(state, observed, state));
    if (states.length === 0) {
      const steps = JSON.stringify(observed, undefined, 1);
      expect.fail(`No order of the steps explains ${steps} from ${this.#states.map(inspect).join(' or ')}`);
    }
    this.#states = [...new Map(states.map((state) => [inspect(state), state])).values()];
    for (const [step, result] of observed) this.#remember(step, result);
  }

  #stepOf(draft: Draft): Step {
    const { kind, token, target } = draft;
    const input = this.#inputOf(draft);
    if (kind === 'advanceClock') return { kind, input };
    if (kind === 'signOut') return { kind, token: this.#endedToken(draft), input };
    // Most tokens have ended. Half of the steps use one of the account tokens.
    const caller = token % 2 === 0 ? pick(this.#accountTokens, target) : pick(this.#tokens, token);
    return { kind, token: caller, input };
  }

  #inputOf(draft: Draft): Input {
    const { kind, target, other, flag, input } = draft;
    const { name, privateKey } = pick(this.#apps, target);
    const active = other % 2 === 0;
    const project = pick(this.#projects, other);
    switch (kind) {
      case 'createApp':
        // Only GraphQL can name a project.
        return {
          title: input['title'] ?? 'App',
          active: flag || active,
          ...(draft.api === 0 && flag && { project }),
        };
      case 'updateApp':
        return { name, ...(input['title'] && { title: input['title'] }), ...(flag && { active }) };
      case 'rotateAppKey':
        return { name, gracePeriod: pick([0, 60, 1200, 604_801], other) };
      case 'signIn':
        return { name, privateKey: other % 4 === 0 ? pick(this.#apps, other).privateKey : privateKey };
      case 'updateWallet': {
        const wallet = pick(this.#wallets, target);
        return { name: wallet, ...input, ...(flag && other % 3 === 0 && { project }) };
      }
      case 'listProjects':
        return { first: target % 5, after: flag ? this.#cursors[other % this.#cursors.length] : undefined };
      case 'createProject':
        return { title: 'Project' };
      case 'revokeToken':
        return { id: `tokens/${parseCredential(this.#endedToken(draft))?.id ?? ULID}` };
      case 'advanceClock':
        return { ms: target * 60_000 };
      default:
        return {};
    }
  }

  /** The token that a step ends: seldom that of an account, because little can be done afterwards. */
  #endedToken({ token, target, other }: Draft): string {
    const ofApps = this.#tokens.slice(this.#accountTokens.length);
    return other < 2 ? pick(this.#tokens, token) : (ofApps[target] ?? UNKNOWN_TOKEN);
  }

  #remember({ kind }: Step, { value, reason }: Result): void {
    if (reason !== 'ok') return;
    // A rotation adds a further key of the same app.
    if (kind === 'createApp' || kind === 'rotateAppKey') this.#apps.push(value);
    if (kind === 'signIn') this.#tokens.push(value.accessToken);
    if (kind === 'listProjects' && value.nextPageToken !== '') {
      this.#cursors.push({ token: value.nextPageToken, project: value.projects.at(-1) });
    }
  }
}

type Observed = readonly [Step, Result];

const APP = 'app { name title privateKey active }';

/** The selections of the mutations that only GraphQL has, and the field of their payload that is their value. */
const MUTATIONS: Readonly<Partial<Record<Kind, readonly [selection: string, field: string]>>> = {
  updateApp: [APP, 'app'],
  rotateAppKey: [APP, 'app'],
  createProject: ['project { name }', 'project'],
  revokeToken: ['clientMutationId', 'clientMutationId'],
  signOut: ['clientMutationId', 'clientMutationId'],
};

const VIEWER = '{ viewer { account project { name } app { name } expireTime } }';

async function execute(step: Step, { instance, api }: Draft): Promise<Result> {
  const gateway = pick(instances, instance);
  if (step.kind === 'advanceClock') {
    gateway.clock.advance(step.input['ms']);
    return { reason: 'ok', fields: [] };
  }
  const { value, error } = await request(gateway, api, step);
  return error ? { reason: error.reason, fields: error.fields } : { reason: 'ok', fields: [], value };
}

async function request(
  { url }: Gateway,
  api: number,
  { kind, token, input }: Step,
): Promise<Outcome<unknown>> {
  if (kind === 'viewer') {
    return graphqlOutcome(url, token, VIEWER, {}, ({ viewer: { account, project, app, expireTime } }) => {
      return { account, project: project.name, app: app?.name, expireTimeMs: Date.parse(expireTime) };
    });
  }
  const [selection, field] = MUTATIONS[kind] ?? [];
  if (selection !== undefined && field !== undefined) {
    const document = mutationDocument(kind, selection);
    return graphqlOutcome(url, token, document, { input }, ({ [kind]: payload }) => payload[field]);
  }
  const chosen = pick(
    bothApis(() => url),
    api,
  );
  if (kind === 'createApp' || kind === 'signIn') return chosen[kind](token, input);
  const { name, first, after, ...changes } = input;
  if (kind === 'updateWallet') return chosen.updateWallet(token, name, changes);
  const { value, ...outcome } = await chosen.listProjects(token, { first, after: after?.token });
  return { ...outcome, value: value && { ...value, projects: value.projects.map((each) => each.name) } };
}

/** Returns the states after the steps in each order that explains their results. */
function statesAfter(state: State, observed: readonly Observed[], start: State): readonly State[] {
  if (observed.length === 0) return [state];
  return observed.flatMap(([step, result], index) => {
    const next = stateAfter(state, step, result, start);
    return next === undefined ? [] : statesAfter(next, observed.toSpliced(index, 1), start);
  });
}

function inspect(state: State): string {
  return JSON.stringify(state, (_, value) =>
    value instanceof Map ? Object.fromEntries([...value].sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}

function pick<T>(items: readonly T[], index: number): T {
  return items[index % items.length] as T;
}
