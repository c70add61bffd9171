import { isDeepStrictEqual } from 'node:util';
import { ulidOf } from '../../support/requests.ts';
import type { Input, Kind, Operation } from './model-steps.ts';

/** A small model of the service, written from the specification. It predicts the result of each step. */

/** An account of the model, or a project token's view of it. */
export type Token = {
  readonly account: string;
  /** The default project of an account token, or the only project of a project token. */
  readonly project: string;
  /** The app that signed in; undefined for an account token. */
  readonly app?: string;
  /** The private key with which the app signed in. */
  readonly privateKey?: string;
  readonly expireTimeMs: number;
};

type App = {
  readonly account: string;
  readonly project: string;
  readonly title: string;
  readonly active: boolean;
  readonly privateKey: string;
  /** The key before the last rotation, and its end. */
  readonly previousKey?: { readonly privateKey: string; readonly endMs: number };
};

type Wallet = {
  readonly account: string;
  readonly project: string;
  /** The wallet as the service returns it. */
  readonly value: Input;
};

/** The state of the service. */
export type State = {
  readonly now: number;
  /** The names of all projects, with their account. */
  readonly projects: ReadonlyMap<string, string>;
  readonly apps: ReadonlyMap<string, App>;
  readonly wallets: ReadonlyMap<string, Wallet>;
  /** The valid tokens by their text, some of which may have expired. */
  readonly tokens: ReadonlyMap<string, Token>;
};

/** A request to the service with a token, or the clock that advances. */
export type Step = { readonly kind: Kind; readonly token?: string; readonly input: Input };

/** A page token, with the last project of its page. */
export type Cursor = { readonly token: string; readonly project: string };

/** What a step returned: `ok` with a value, or the reason of an error with the names of the fields. */
export type Result = {
  readonly reason: string;
  readonly fields: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: the model checks the values
  readonly value?: any;
};

/** A step of an authenticated caller, with the value that the service returned. */
type Call = {
  readonly state: State;
  readonly caller: Token;
  readonly token: string;
  readonly input: Input;
  readonly actual: Input;
};

type Prediction = {
  readonly reason: string;
  readonly fields?: readonly string[];
  /** The parts of the value that are known to the model. */
  readonly value?: Input;
  /** The state afterwards; unchanged if undefined. */
  readonly state?: State;
};

const TOKEN_LIFE_MS = 3_600_000;

/**
 * Returns the state after a step, or undefined if the step can't have had this result.
 *
 * @param start the state when the request was sent: a request that another step overtakes may have been
 *   authenticated before it
 */
export function stateAfter(state: State, step: Step, result: Result, start: State): State | undefined {
  for (const { tokens, now } of [state, start]) {
    const predicted = predict(state, { tokens, now }, step, result.value ?? {});
    const isExplained =
      predicted.reason === result.reason &&
      isDeepStrictEqual(predicted.fields ?? [], result.fields.toSorted()) &&
      isDeepStrictEqual({ ...result.value, ...predicted.value }, { ...result.value });
    if (isExplained) return predicted.state ?? state;
  }
  return undefined;
}

function predict(
  state: State,
  authenticated: Pick<State, 'tokens' | 'now'>,
  { kind, token = '', input }: Step,
  actual: Input,
): Prediction {
  if (kind === 'advanceClock') return ok({ ...state, now: state.now + input['ms'] });
  const caller = authenticated.tokens.get(token);
  if (caller === undefined || !isLive(authenticated, token)) return { reason: 'TOKEN_INVALID' };
  return STEPS[kind]({ state, caller, token, input, actual });
}

const STEPS: Readonly<Record<Operation, (call: Call) => Prediction>> = {
  createApp,
  updateApp,
  rotateAppKey,
  signIn,
  updateWallet,
  listProjects,
  signOut: ({ state, token }) => ok({ ...state, tokens: without(state.tokens, (_, text) => text === token) }),
  viewer({ state, caller: { account, project, app, expireTimeMs }, token }) {
    // The token may have ended, or its end may have changed, after the authentication.
    if (!isLive(state, token)) return { reason: 'TOKEN_INVALID' };
    const endMs = state.tokens.get(token)?.expireTimeMs ?? expireTimeMs;
    return ok(state, { account, project, app, expireTimeMs: endMs });
  },
  createProject({ state, caller: { account, app }, actual: { name } }) {
    if (app !== undefined) return { reason: 'ACCOUNT_TOKEN_REQUIRED' };
    return ok({ ...state, projects: withEntry(state.projects, name, account) });
  },
  revokeToken({ state, caller, input: { id } }) {
    if (caller.app !== undefined) return { reason: 'ACCOUNT_TOKEN_REQUIRED' };
    const isRevoked = ({ account }: Token, text: string) =>
      account === caller.account && text.includes(ulidOf(id)) && isLive(state, text);
    const tokens = without(state.tokens, isRevoked);
    return tokens.size < state.tokens.size ? ok({ ...state, tokens }) : { reason: 'RESOURCE_NOT_FOUND' };
  },
};

function createApp({ state, caller, input, actual }: Call): Prediction {
  if (caller.app !== undefined) return { reason: 'ACCOUNT_TOKEN_REQUIRED' };
  if (!isText(input['title'], 1, 200)) return invalid('title');
  const { title, active, project = caller.project } = input;
  if (state.projects.get(project) !== caller.account) return invalid('project');
  // The name and the key are made by the service.
  const { name, privateKey } = actual;
  const app = { account: caller.account, project, title, active, privateKey };
  return ok({ ...state, apps: withEntry(state.apps, name, app) }, { title, active });
}

function signIn({ state, caller, input: { name, privateKey }, actual }: Call): Prediction {
  const app = state.apps.get(name);
  if (app === undefined || !isVisible(caller, app)) return { reason: 'INVALID_CREDENTIALS' };
  const previousEndMs = privateKey === app.previousKey?.privateKey ? (app.previousKey?.endMs ?? 0) : 0;
  const keyEndMs = privateKey === app.privateKey ? Infinity : previousEndMs;
  if (keyEndMs <= state.now) return { reason: 'INVALID_CREDENTIALS' };
  if (!app.active) return { reason: 'APP_INACTIVE' };
  const expireTimeMs = Math.min(state.now + TOKEN_LIFE_MS, keyEndMs);
  const issued = { account: app.account, project: app.project, app: name, privateKey, expireTimeMs };
  const tokens = withEntry(state.tokens, actual['accessToken'], issued);
  const { title, active } = app;
  return ok({ ...state, tokens }, { app: { ...actual['app'], name, title, privateKey: '', active } });
}

function updateWallet({ state, caller, input: { name, ...changes } }: Call): Prediction {
  const bounds = { description: [0, 2000], password: [32, 32], title: [1, 200] } as const;
  const fields = Object.entries(bounds).flatMap(([field, [min, max]]) =>
    isText(changes[field] ?? 'x'.repeat(max), min, max) ? [] : [field],
  );
  if (fields.length > 0) return invalid(...fields);
  const { project } = changes;
  const account = state.projects.get(project) ?? '';
  if (project !== undefined && !isVisible(caller, { account, project })) return invalid('project');
  const wallet = state.wallets.get(name);
  if (wallet === undefined || !isVisible(caller, wallet)) return { reason: 'RESOURCE_NOT_FOUND' };

  const { network, ...texts }: Input = { ...wallet.value, ...changes, password: '' };
  const value = { ...texts, network: network.replace('RINKERBY', 'RINKEBY') };
  const updated = { ...wallet, project: project ?? wallet.project, value };
  return ok({ ...state, wallets: withEntry(state.wallets, name, updated) }, value);
}

function listProjects({ state, caller, input: { first, after }, actual }: Call): Prediction {
  if (first < 1 || first > 100) return invalid('first');
  const visible = [...state.projects]
    .filter(([project, account]) => isVisible(caller, { account, project }))
    .map(([name]) => name)
    .filter((name) => after === undefined || name > after.project)
    .sort();
  // The text of a page token is made by the service.
  const nextPageToken = visible.length > first ? actual['nextPageToken'] || 'missing' : '';
  return ok(state, { projects: visible.slice(0, first), nextPageToken });
}

function updateApp({ state, caller, input: { name, ...changes } }: Call): Prediction {
  if (caller.app !== undefined) return { reason: 'ACCOUNT_TOKEN_REQUIRED' };
  if (!isText(changes['title'] ?? 'x', 1, 200)) return invalid('title');
  const app = state.apps.get(name);
  if (app?.account !== caller.account) return { reason: 'RESOURCE_NOT_FOUND' };
  const updated = { ...app, ...changes };
  const { title, active } = updated;
  return ok(withApp(state, name, updated), { name, title, privateKey: '', active });
}

function rotateAppKey({ state, caller, input: { name, gracePeriod }, actual }: Call): Prediction {
  if (caller.app !== undefined) return { reason: 'ACCOUNT_TOKEN_REQUIRED' };
  if (gracePeriod > 604_800) return invalid('gracePeriod');
  const app = state.apps.get(name);
  if (app?.account !== caller.account) return { reason: 'RESOURCE_NOT_FOUND' };
  const endMs = gracePeriod === 0 ? 0 : state.now + gracePeriod * 1000;
  const previousKey = { privateKey: app.privateKey, endMs };
  const { title, active } = app;
  // The key is made by the service.
  const { privateKey } = actual;
  const tokens = new Map(
    [...state.tokens].flatMap(([text, each]) => {
      if (each.app !== name) return [[text, each]];
      if (each.privateKey !== app.privateKey || endMs <= state.now) return [];
      return [[text, { ...each, expireTimeMs: Math.min(each.expireTimeMs, endMs) }]];
    }),
  );
  const apps = withEntry(state.apps, name, { ...app, privateKey, previousKey });
  return ok({ ...state, apps, tokens }, { name, title, active });
}

/** The state with a changed app. An app that is not active has no tokens. */
function withApp(state: State, name: string, app: App): State {
  const tokens = app.active ? state.tokens : without(state.tokens, (token) => token.app === name);
  return { ...state, tokens, apps: withEntry(state.apps, name, app) };
}

function isVisible(caller: Token, { account, project }: Pick<Token, 'account' | 'project'>): boolean {
  return account === caller.account && (caller.app === undefined || project === caller.project);
}

function isLive({ tokens, now }: Pick<State, 'tokens' | 'now'>, text: string): boolean {
  return (tokens.get(text)?.expireTimeMs ?? 0) > now;
}

function isText(value: string, min: number, max: number): boolean {
  return [...value].length >= min && [...value].length <= max;
}

function ok(state: State, value?: Input): Prediction {
  return { reason: 'ok', state, ...(value && { value }) };
}

function invalid(...fields: readonly string[]): Prediction {
  return { reason: 'INVALID_FIELD', fields };
}

function withEntry<T>(map: ReadonlyMap<string, T>, key: string, value: T): ReadonlyMap<string, T> {
  return new Map(map).set(key, value);
}

function without<T>(
  map: ReadonlyMap<string, T>,
  isRemoved: (value: T, key: string) => boolean,
): ReadonlyMap<string, T> {
  return new Map([...map].filter(([key, value]) => !isRemoved(value, key)));
}
