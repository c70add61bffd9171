import { isDeepStrictEqual } from 'node:util';

/** A small model of the service, written from the specification. It predicts the result of each step. */

/** An account of the model, or a project token's view of it. */
export type Token = {
  readonly account: string;
  /** The default project of an account token, or the only project of a project token. */
  readonly project: string;
  /** The app that signed in; undefined for an account token. */
  readonly app: string | undefined;
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
  readonly title: string;
  readonly description: string;
  readonly network: string;
  readonly address: string;
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

/** A request to the service, or an act of its operator. */
export type Step =
  | { readonly kind: 'createApp'; readonly token: string; readonly input: Input }
  | { readonly kind: 'updateApp'; readonly token: string; readonly input: Input }
  | {
      readonly kind: 'rotateAppKey';
      readonly token: string;
      readonly name: string;
      readonly gracePeriod: number;
    }
  | { readonly kind: 'signOut'; readonly token: string }
  | { readonly kind: 'viewer'; readonly token: string }
  | { readonly kind: 'signIn'; readonly token: string; readonly input: Input }
  | { readonly kind: 'updateWallet'; readonly token: string; readonly wallet: string; readonly input: Input }
  | {
      readonly kind: 'listProjects';
      readonly token: string;
      readonly first: number;
      readonly after: Cursor | undefined;
    }
  | { readonly kind: 'createProject'; readonly account: string }
  | { readonly kind: 'setAppActive'; readonly app: string; readonly active: boolean }
  | { readonly kind: 'revokeToken'; readonly token: string }
  | { readonly kind: 'advanceClock'; readonly ms: number };

export type Input = Readonly<Record<string, unknown>>;

/** A page token, with the last project of its page. */
export type Cursor = { readonly token: string; readonly project: string };

/** What a step returned: `ok` with a value, or the reason of an error with the names of the fields. */
export type Result = {
  readonly reason: string;
  readonly fields: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: the model checks the values
  readonly value?: any;
};

const TOKEN_LIFE_MS = 3_600_000;

/**
 * Returns the state after a step, or undefined if the step can't have had this result.
 *
 * @param start the state when the request was sent: a request that another step overtakes may have been
 *   authenticated before it
 */
export function stateAfter(state: State, step: Step, result: Result, start: State): State | undefined {
  for (const authenticated of [state, start]) {
    const predicted = predict(state, authenticated, step, result.value);
    const isExplained =
      predicted.reason === result.reason &&
      isDeepStrictEqual(predicted.fields ?? [], [...result.fields].sort()) &&
      (predicted.value === undefined || isDeepStrictEqual(predicted.value, result.value));
    if (isExplained) return predicted.state ?? state;
  }
  return undefined;
}

type Prediction = {
  readonly reason: string;
  readonly fields?: readonly string[];
  /** The complete value, where it is not only known to the service. */
  readonly value?: unknown;
  /** The state afterwards; unchanged if undefined. */
  readonly state?: State;
};

function predict(state: State, authenticated: State, step: Step, actual: Result['value']): Prediction {
  switch (step.kind) {
    case 'createApp':
      return asPrincipal(authenticated, step.token, (token) => createApp(state, token, step.input, actual));
    case 'updateApp':
      return asPrincipal(authenticated, step.token, (token) => updateApp(state, token, step.input));
    case 'rotateAppKey':
      return asPrincipal(authenticated, step.token, (token) =>
        rotateAppKey(state, token, step.name, step.gracePeriod, actual),
      );
    case 'signOut':
      return asPrincipal(authenticated, step.token, () =>
        ok({ ...state, tokens: without(state.tokens, (_, text) => text === step.token) }),
      );
    case 'viewer':
      return asPrincipal(authenticated, step.token, ({ account, project, app, expireTimeMs }) =>
        // The token may have ended, or its end may have changed, after the authentication.
        isLive(state, step.token)
          ? {
              reason: 'ok',
              value: {
                account,
                project,
                app,
                expireTimeMs: state.tokens.get(step.token)?.expireTimeMs ?? expireTimeMs,
              },
            }
          : { reason: 'TOKEN_INVALID' },
      );
    case 'signIn':
      return asPrincipal(authenticated, step.token, (token) => signIn(state, token, step.input, actual));
    case 'updateWallet':
      return asPrincipal(authenticated, step.token, (token) =>
        updateWallet(state, token, step.wallet, step.input),
      );
    case 'listProjects':
      return asPrincipal(authenticated, step.token, (token) =>
        listProjects(state, token, step.first, step.after, actual),
      );
    case 'createProject':
      return ok({ ...state, projects: withEntry(state.projects, String(actual), step.account) });
    case 'setAppActive':
      return setAppActive(state, step.app, step.active);
    case 'revokeToken':
      if (!isLive(state, step.token)) return invalid('token');
      return ok({ ...state, tokens: without(state.tokens, (_, text) => text === step.token) });
    case 'advanceClock':
      return ok({ ...state, now: state.now + step.ms });
  }
}

function asPrincipal(state: State, text: string, act: (token: Token) => Prediction): Prediction {
  const token = state.tokens.get(text);
  return token && isLive(state, text) ? act(token) : { reason: 'TOKEN_INVALID' };
}

function createApp(state: State, token: Token, input: Input, actual: Result['value']): Prediction {
  const fields = [];
  if (!isText(input['title'], 1, 200)) fields.push('title');
  if (typeof input['active'] !== 'boolean') fields.push('active');
  if (fields.length > 0) return invalid(...fields);
  if (token.app !== undefined) return { reason: 'ACCOUNT_TOKEN_REQUIRED' };
  const project = String(input['project'] ?? token.project);
  if (state.projects.get(project) !== token.account) return invalid('project');
  // The name and the key are made by the service.
  const { name, privateKey } = actual ?? {};
  const app = {
    account: token.account,
    project,
    title: String(input['title']),
    active: input['active'] === true,
    privateKey,
  };
  const value = { name, title: app.title, privateKey, active: app.active };
  return { ...ok({ ...state, apps: withEntry(state.apps, name, app) }), value };
}

function signIn(state: State, token: Token, input: Input, actual: Result['value']): Prediction {
  const name = String(input['name']);
  const app = state.apps.get(name);
  const isVisible =
    app !== undefined &&
    app.account === token.account &&
    (token.app === undefined || app.project === token.project);
  const { privateKey } = input;
  const isPreviousKey = privateKey === app?.previousKey?.privateKey;
  const keyEndMs = isPreviousKey ? (app?.previousKey?.endMs ?? 0) : Infinity;
  if (!isVisible || (privateKey !== app.privateKey && !isPreviousKey) || keyEndMs <= state.now) {
    return { reason: 'INVALID_CREDENTIALS' };
  }
  if (!app.active) return { reason: 'APP_INACTIVE' };
  const accessToken = String(actual?.accessToken);
  const issued = {
    account: app.account,
    project: app.project,
    app: name,
    privateKey: String(privateKey),
    expireTimeMs: Math.min(state.now + TOKEN_LIFE_MS, keyEndMs),
  };
  const value = { accessToken, app: { name, title: app.title, privateKey: '', active: true } };
  return { ...ok({ ...state, tokens: withEntry(state.tokens, accessToken, issued) }), value };
}

function updateWallet(state: State, token: Token, name: string, input: Input): Prediction {
  const fields = [];
  if ('description' in input && !isText(input['description'], 0, 2000)) fields.push('description');
  if ('password' in input && !isText(input['password'], 32, 32)) fields.push('password');
  if ('title' in input && !isText(input['title'], 1, 200)) fields.push('title');
  if (fields.length > 0) return invalid(...fields);

  const { project } = input;
  const isProjectVisible =
    state.projects.get(String(project)) === token.account &&
    (token.app === undefined || project === token.project);
  if (project !== undefined && !isProjectVisible) return invalid('project');

  const wallet = state.wallets.get(name);
  const isVisible =
    wallet !== undefined &&
    wallet.account === token.account &&
    (token.app === undefined || wallet.project === token.project);
  if (!isVisible) return { reason: 'RESOURCE_NOT_FOUND' };

  const { password: _, ...changes } = input;
  const updated: Wallet = { ...wallet, ...changes };
  const { account, ...visible } = {
    ...updated,
    network: updated.network.replace('RINKERBY', 'RINKEBY'),
  };
  const value = { name, ...visible, password: '' };
  return { ...ok({ ...state, wallets: withEntry(state.wallets, name, updated) }), value };
}

function listProjects(
  state: State,
  token: Token,
  first: number,
  after: Cursor | undefined,
  actual: Result['value'],
): Prediction {
  if (first < 1 || first > 100) return invalid('first');
  const visible = [...state.projects]
    .filter(([name, account]) => account === token.account && (!token.app || name === token.project))
    .map(([name]) => name)
    .filter((name) => after === undefined || name > after.project)
    .sort();
  const hasMore = visible.length > first;
  // The text of a page token is made by the service.
  const nextPageToken = hasMore ? String(actual?.nextPageToken || 'missing') : '';
  return { reason: 'ok', value: { projects: visible.slice(0, first), nextPageToken } };
}

function updateApp(state: State, token: Token, { name: input, ...changes }: Input): Prediction {
  const name = String(input);
  if ('title' in changes && !isText(changes['title'], 1, 200)) return invalid('title');
  if (token.app !== undefined) return { reason: 'ACCOUNT_TOKEN_REQUIRED' };
  const app = state.apps.get(name);
  if (app?.account !== token.account) return { reason: 'RESOURCE_NOT_FOUND' };
  const updated = { ...app, ...changes };
  const after = changes['active'] === false ? setAppActive(state, name, false).state : state;
  const { title, active } = updated;
  const apps = withEntry(state.apps, name, updated);
  return { ...ok({ ...(after ?? state), apps }), value: { name, title, privateKey: '', active } };
}

function rotateAppKey(
  state: State,
  token: Token,
  name: string,
  gracePeriod: number,
  actual: Result['value'],
): Prediction {
  if (gracePeriod > 604_800) return invalid('gracePeriod');
  if (token.app !== undefined) return { reason: 'ACCOUNT_TOKEN_REQUIRED' };
  const app = state.apps.get(name);
  if (app?.account !== token.account) return { reason: 'RESOURCE_NOT_FOUND' };
  const endMs = gracePeriod === 0 ? 0 : state.now + gracePeriod * 1000;
  const previousKey = { privateKey: app.privateKey, endMs };
  // The key is made by the service.
  const { title, active } = app;
  const privateKey = String(actual?.privateKey);
  const apps = withEntry(state.apps, name, { ...app, privateKey, previousKey });
  const tokens = new Map(
    [...state.tokens].flatMap(([text, each]) => {
      if (each.app !== name) return [[text, each]];
      if (each.privateKey !== app.privateKey || endMs <= state.now) return [];
      return [[text, { ...each, expireTimeMs: Math.min(each.expireTimeMs, endMs) }]];
    }),
  );
  return { ...ok({ ...state, apps, tokens }), value: { name, title, privateKey, active } };
}

function setAppActive(state: State, name: string, active: boolean): Prediction {
  const app = state.apps.get(name);
  if (app === undefined) return invalid('name');
  const tokens = active ? state.tokens : without(state.tokens, (token) => token.app === name);
  return ok({ ...state, tokens, apps: withEntry(state.apps, name, { ...app, active }) });
}

function isLive(state: State, text: string): boolean {
  return (state.tokens.get(text)?.expireTimeMs ?? 0) > state.now;
}

function isText(value: unknown, min: number, max: number): boolean {
  return typeof value === 'string' && [...value].length >= min && [...value].length <= max;
}

function ok(state: State): Prediction {
  return { reason: 'ok', state };
}

function invalid(...fields: readonly string[]): Prediction {
  return { reason: 'INVALID_FIELD', fields: [...fields].sort() };
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
