import { MUTATION_NAMES, MUTATIONS, type MutationName } from '../support/mutations.ts';

// Who may do what, written from docs/api.md and docs/decisions.md. It imports nothing of `src`.

/** A kind of operation. */
type Rule = {
  /** The tokens that may call it: any, those of an account, those that see all of one, or of these those of the operator. */
  readonly level: 'any' | 'account' | 'whole account' | 'issued by operator';
  readonly isChange: boolean;
  /** How the name or the address begins that it takes. */
  readonly targets: readonly string[];
};

const RESOURCES = ['projects/', 'apps/', 'wallets/'];

const QUERIES = {
  viewer: [''],
  node: RESOURCES,
  projects: [''],
  wallets: ['0x'],
  walletsByTitle: [''],
  walletsByReference: ['ref:'],
  archivedWallets: [''],
  apps: [''],
  contents: ['projects/'],
  tokens: [''],
  events: RESOURCES,
};

export type Kind = keyof typeof QUERIES | MutationName;

/** The operations that not every token may call. */
const LEVELS: { readonly [K in Kind]?: Rule['level'] } = {
  tokens: 'whole account',
  events: 'whole account',
  createProject: 'whole account',
  updateProject: 'account',
  deleteProject: 'whole account',
  createApp: 'account',
  updateApp: 'account',
  deleteApp: 'account',
  rotateAppKey: 'account',
  createToken: 'issued by operator',
  revokeToken: 'whole account',
};

const ruleOf = (kind: Kind, isChange: boolean, targets: readonly string[]) =>
  [kind, { level: LEVELS[kind] ?? 'any', isChange, targets }] as const;

export const OPERATIONS = Object.fromEntries([
  ...Object.entries(QUERIES).map(([kind, targets]) => ruleOf(kind as Kind, false, targets)),
  ...MUTATION_NAMES.map((kind) => ruleOf(kind, true, [MUTATIONS[kind][0]])),
]) as Readonly<Record<Kind, Rule>>;

export type Operation = {
  readonly kind: Kind;
  /** The resource or the token that the operation is about, or an address, or a reference. */
  readonly name: string;
  /** The project of a new app or wallet, the only one of a new token, or the new one of a wallet. */
  readonly project?: string | undefined;
  /** That of a new wallet. */
  readonly reference?: string | undefined;
  readonly privateKey: string;
  readonly active: boolean;
};

export type Token = {
  /** `tokens/<ULID>` */
  readonly name: string;
  readonly account: string;
  /** The only project that it sees, or the default one of new apps. */
  readonly project: string;
  readonly isOneProject: boolean;
  readonly isReadOnly: boolean;
  /** The token that has made it, and with which it ends. */
  readonly maker?: string;
  /** The app that signed in; undefined for an account token. */
  readonly app?: string;
};

/** The resource that an operation has created, and its secrets. */
export type Created = {
  readonly name?: string;
  readonly privateKey?: string;
  readonly accessToken?: string;
};

/** Where a resource is; a project is in itself. */
export type Place = { readonly account: string; readonly project: string };

export type App = { readonly privateKey: string; readonly isActive: boolean };

/** The tokens and resources of some accounts, and what each token may do with them. */
export class Oracle {
  readonly suspended = new Set<string>();
  readonly places = new Map<string, Place>();
  /** The account of each resource that ever existed. */
  readonly history = new Map<string, string>();
  readonly apps = new Map<string, App>();
  readonly addresses = new Map<string, string>();
  /** The wallets with a reference, by it and their account. */
  readonly references = new Map<string, string>();
  readonly archived = new Set<string>();
  /** The default projects of the accounts. */
  readonly defaults = new Set<string>();
  /** The tokens that have not ended, by their text. */
  readonly tokens = new Map<string, Token>();

  /** Returns why a request is refused, whatever its target is; undefined if it is not. */
  refusal(text: string | undefined, kind: Kind): string | undefined {
    if (text === undefined) return 'TOKEN_MISSING';
    const token = this.tokens.get(text);
    if (token === undefined || this.suspended.has(token.account)) return 'TOKEN_INVALID';
    return token.isReadOnly && OPERATIONS[kind].isChange ? 'READ_ONLY_TOKEN' : undefined;
  }

  /** Returns the outcome of an operation: `ok` with what is shown, or what shows nothing. */
  outcome(token: Token, { kind, name, project, reference, privateKey }: Operation): string {
    const { level, targets } = OPERATIONS[kind];
    if (level !== 'any' && token.app !== undefined) return 'ACCOUNT_TOKEN_REQUIRED';
    if (/whole|operator/.test(level) && token.isOneProject) return 'WHOLE_ACCOUNT_REQUIRED';
    if (level === 'issued by operator' && token.maker !== undefined) return 'OPERATOR_TOKEN_REQUIRED';
    const isMissing = !this.sees(token, name);
    const isOutside = project !== undefined && !this.sees(token, project);
    switch (kind) {
      case 'viewer':
        return `ok ${token.name} ${token.account} ${token.project}`;
      case 'node':
        return isMissing ? 'null' : `ok ${name}`;
      case 'projects':
        return shown(this.#visible(token, 'projects/'));
      case 'wallets':
        return shown(this.#visible(token, 'wallets/').filter((each) => this.addresses.get(each) === name));
      case 'walletsByTitle':
        return shown(this.#visible(token, 'wallets/').filter((each) => !this.archived.has(each)));
      case 'walletsByReference':
        return shown(
          this.#visible(token, 'wallets/').filter((each) => each === this.#referenced(token, name)),
        );
      case 'archivedWallets':
        return shown(this.#visible(token, 'wallets/').filter((each) => this.archived.has(each)));
      case 'apps':
        return shown(this.#visible(token, 'apps/'));
      case 'contents':
        if (isMissing) return 'null';
        return shown(
          this.#visible(token, '').filter((each) => this.#isIn(name, each) && !this.archived.has(each)),
        );
      case 'tokens':
        return shown(this.#tokensOf(token));
      case 'events':
        return this.history.get(name) === token.account ? 'ok' : 'none';
      case 'createApp':
      case 'createToken':
        return isOutside ? 'INVALID_FIELD project' : 'ok';
      case 'createWallet':
        if (isOutside && token.isOneProject) return 'INVALID_FIELD project';
        return this.#createWallet(token, this.#referenced(token, reference), project);
      case 'updateWallet':
        if (isOutside) return 'INVALID_FIELD project';
        if (isMissing) return 'RESOURCE_NOT_FOUND';
        return this.archived.has(name)
          ? 'WALLET_ARCHIVED'
          : `ok ${project ?? this.places.get(name)?.project}`;
      case 'archiveWallet':
      case 'unarchiveWallet':
        return isMissing ? 'RESOURCE_NOT_FOUND' : `ok ${this.places.get(name)?.project}`;
      case 'deleteProject':
        if (isMissing) return 'RESOURCE_NOT_FOUND';
        return this.#isInUse(name) ? 'PROJECT_IN_USE' : 'ok';
      case 'signIn':
        return isMissing ? 'INVALID_CREDENTIALS' : this.signIn(name, privateKey);
      case 'revokeToken':
        return this.#tokensOf(token).includes(name) ? 'ok' : 'RESOURCE_NOT_FOUND';
      default:
        return isMissing && !targets.includes('') ? 'RESOURCE_NOT_FOUND' : 'ok';
    }
  }

  /** Returns the outcome of a sign-in with a private key, by which OAuth knows an app, too. */
  signIn(app: string, privateKey: string): string {
    const { account = '' } = this.places.get(app) ?? {};
    if (!this.hasKey(app, privateKey) || this.suspended.has(account)) return 'INVALID_CREDENTIALS';
    return this.apps.get(app)?.isActive ? 'ok' : 'APP_INACTIVE';
  }

  hasKey(app: string, privateKey: string): boolean {
    return this.apps.get(app)?.privateKey === privateKey;
  }

  /** Returns the outcome of a revocation by OAuth, with the key of an app or without. It is checked for a valid token only. */
  revocation(text: string, app?: { readonly name: string; readonly privateKey: string }): string {
    const token = this.tokens.get(text);
    if (token === undefined || app === undefined) return 'ended';
    if (token.app !== app.name) return 'unauthorized_client';
    return this.hasKey(app.name, app.privateKey) ? 'ended' : 'invalid_client';
  }

  /** Returns the outcome of an introspection by an app that has signed in. */
  introspection(app: string, text: string): string {
    const token = this.tokens.get(text);
    const isVisible = token?.app !== undefined && token.project === this.places.get(app)?.project;
    return isVisible ? `ok ${token.app} ${token.project}` : 'inactive';
  }

  sees(token: Token, name: string): boolean {
    const place = this.places.get(name);
    if (place?.account !== token.account) return false;
    return !token.isOneProject || place.project === token.project;
  }

  /** Adds a project, which is in itself, or an app or a wallet. */
  add(name: string, account: string, project = name): void {
    this.places.set(name, { account, project });
    this.history.set(name, account);
  }

  /** Adds a token of an app, from a sign-in or from OAuth. */
  grant(text: string, app: string, isReadOnly = false): void {
    const { account = '', project = '' } = this.places.get(app) ?? {};
    const name = tokenName(text);
    this.tokens.set(text, { name, account, project, isOneProject: true, isReadOnly, app });
  }

  /** Makes the change of a successful operation. */
  change(token: Token, operation: Operation, created: Created): void {
    const { kind, name, project, reference, active } = operation;
    const { name: newName = '', privateKey = '', accessToken = '' } = created;
    const place = this.places.get(name);
    const app = this.apps.get(name);
    if (kind === 'createProject') this.add(newName, token.account);
    if (kind === 'createApp') this.add(newName, token.account, project ?? token.project);
    if (kind === 'createWallet' && !this.places.has(newName)) {
      this.add(newName, token.account, project ?? token.project);
      if (reference !== undefined) this.references.set(`${token.account} ${reference}`, newName);
    }
    if (kind === 'createApp') this.apps.set(newName, { privateKey, isActive: true });
    if (kind === 'signIn') this.grant(accessToken, name);
    if (kind === 'updateWallet' && place && project) this.places.set(name, { ...place, project });
    if (kind === 'updateApp' && app) this.apps.set(name, { ...app, isActive: active });
    if (kind === 'rotateAppKey' && app) this.apps.set(name, { ...app, privateKey });
    if (kind === 'createToken') this.#make(accessToken, token, project);
    if (kind === 'signOut') this.end(token.name);
    if (kind === 'revokeToken') this.end(name);
    if (kind === 'archiveWallet') this.archived.add(name);
    if (kind === 'unarchiveWallet') this.archived.delete(name);
    if (kind === 'deleteApp' || kind === 'deleteProject') this.places.delete(name);
    if (kind === 'deleteApp') this.apps.delete(name);
    if (kind === 'deleteApp' || kind === 'rotateAppKey' || (kind === 'updateApp' && !active))
      this.#end((each) => each.app === name);
  }

  /** Ends a token, and those that it has made. */
  end(token: string): void {
    this.#end(({ name, maker }) => name === token || maker === token);
  }

  #referenced({ account }: Token, reference: string | undefined): string | undefined {
    return this.references.get(`${account} ${reference}`);
  }

  /** @param existing the wallet of the account that has the reference */
  #createWallet(token: Token, existing: string | undefined, project: string | undefined): string {
    if (existing === undefined)
      return this.sees(token, project ?? token.project)
        ? `ok ${project ?? token.project}`
        : 'INVALID_FIELD project';
    if (!this.sees(token, existing)) return 'ALREADY_EXISTS reference';
    const place = this.places.get(existing)?.project;
    return project === undefined || project === place ? `ok ${place}` : 'ALREADY_EXISTS project';
  }

  #make(text: string, { name: maker, ...token }: Token, project: string | undefined): void {
    const isOneProject = project !== undefined;
    const made = { name: tokenName(text), maker, isOneProject, project: project ?? token.project };
    this.tokens.set(text, { ...token, ...made });
  }

  #end(isEnded: (token: Token) => boolean): void {
    for (const [text, token] of this.tokens) if (isEnded(token)) this.tokens.delete(text);
  }

  #visible(token: Token, prefix: string): readonly string[] {
    return [...this.places.keys()].filter((name) => name.startsWith(prefix) && this.sees(token, name));
  }

  #tokensOf({ account }: Token): readonly string[] {
    return [...this.tokens.values()].filter((each) => each.account === account).map(({ name }) => name);
  }

  #isIn(project: string, name: string): boolean {
    return name !== project && this.places.get(name)?.project === project;
  }

  #isInUse(project: string): boolean {
    if (this.defaults.has(project)) return true;
    const tokens = [...this.tokens.values()];
    return (
      tokens.some((each) => each.project === project) ||
      [...this.places.keys()].some((each) => this.#isIn(project, each))
    );
  }
}

/** The second ULID in a token is its own. */
export function tokenName(text: string): string {
  return `tokens/${text.split('_')[2]?.slice(26)}`;
}

/** The outcome of a list. */
export function shown(names: readonly string[]): string {
  return names.length > 0 ? `ok ${[...names].sort().join(' ')}` : 'none';
}
