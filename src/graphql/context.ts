import DataLoader from 'dataloader';
import type {
  Changes,
  Client,
  DataLayer,
  EventArguments,
  FilteredArguments,
  KeyedRequest,
  ProjectPage,
  Reads,
  RequestDataLayer,
  Resource,
} from '../data/data-layer.ts';
import type { IdempotencyHeaders } from '../http/idempotency-headers.ts';
import type { Failure, GraphqlOperation } from '../http/request-record.ts';
import type { App } from '../model/app.ts';
import type { AuditEvent } from '../model/audit-event.ts';
import { ApiError } from '../model/errors.ts';
import type { ConnectionArguments, ConnectionPage } from '../model/lists/list-page.ts';
import type { Principal } from '../model/principal.ts';
import type { Project } from '../model/project.ts';
import type { ResourceName } from '../model/resource-name.ts';
import type { Token } from '../model/token.ts';
import type { Wallet } from '../model/wallet.ts';
import { Connection } from './connection.ts';
import { minBytes } from './limits/response-size.ts';

type FirstRequest = Extract<KeyedRequest, { readonly replay?: undefined }>;

type Resources = DataLoader<ResourceName, Resource | null>;

type ProjectName = ResourceName<'projects'>;

const BATCHES = { maxBatchSize: 100 };

// A character takes two bytes if any in its text is not in Latin-1.
const MEMORY_PER_BYTE = 2;

export type RequestState = {
  /** What was read, by keys. */
  readonly cache: Map<string, unknown>;
  isSignedOut?: boolean;
  /** Whether the token has ended since the authentication, before the request has changed anything. */
  isTokenEnded?: boolean;
  /** The request, if it has mutations and an `Idempotency-Key`, and is not a replay. */
  keyed?: FirstRequest;
  /** The operation, once it is known. */
  operation?: GraphqlOperation | undefined;
  /** The JSON of the response, if it was kept. */
  json?: string | undefined;
  /** Whether it has waited for its turn among the requests of its account. */
  hasTurn?: boolean;
  failure?: Failure;
  /** The error in place of the whole response, for which the memory of all requests does not suffice. */
  refusal?: ApiError | undefined;
};

/** What the HTTP request of a context gives and counts. */
export type ContextRequest = {
  /** Returns undefined if the request has no `Idempotency-Key`. @throws UNAUTHENTICATED if it has one and no token */
  readIdempotencyHeaders(): IdempotencyHeaders | undefined;
  /** Counts the mutations of the request after the first. @throws RESOURCE_EXHAUSTED if they exceed the limit */
  countMutations(count: number): Promise<void>;
  /** Counts an introspection whose result was not kept. @throws RESOURCE_EXHAUSTED if it exceeds the limit */
  countIntrospection(): Promise<void>;
  /** See `RequestMemory.claim`. */
  claim(bytes: number): ApiError | undefined;
};

/**
 * The context that the resolvers of one request share. It caches all reads of the request. Apollo
 * Server executes a query again if its compiled form had an error; the cache serves this second
 * execution.
 *
 * Apollo Server copies the own properties of a context. All mutable values are therefore in the
 * object `state`, which the copies share.
 */
export class Context {
  /** The data layer of the request, without an `Idempotency-Key`. */
  readonly ownData: RequestDataLayer;
  readonly client: Client;
  /** The principal of the request's bearer token, or the reason why there is none. */
  readonly authentication: Principal | ApiError;
  readonly request: ContextRequest;
  readonly state: RequestState = { cache: new Map() };

  constructor(
    data: DataLayer,
    client: Client,
    authentication: Principal | ApiError,
    request: ContextRequest,
  ) {
    this.ownData = data.during(client);
    this.client = client;
    this.authentication = authentication;
    this.request = request;
  }

  get isAuthenticated(): boolean {
    return !(this.authentication instanceof ApiError);
  }

  get data(): Reads {
    return this.state.keyed?.operations ?? this.ownData;
  }

  /** Returns the operations that change something. @throws PERMISSION_DENIED if the token of the request may only read */
  changes(): Changes {
    const { principal, client, ownData, state } = this;
    return state.keyed?.operations ?? ownData.changes(principal, client);
  }

  /** The principal of the request. @throws UNAUTHENTICATED if there is none, or if a mutation has ended its token */
  get principal(): Principal {
    if (this.state.isSignedOut) throw new ApiError('TOKEN_INVALID');
    if (this.authentication instanceof ApiError) throw this.authentication;
    return this.authentication;
  }

  /** The loader of resources by name. It batches all loads of the same turn into one call. */
  get resources(): Resources {
    const { data, principal } = this;
    return cached(
      this.state,
      'resources',
      () => new DataLoader((names) => this.counted(data.getResources(principal, names)), BATCHES),
    );
  }

  async getProject(name: ResourceName<'projects'>): Promise<Project> {
    const project = await this.resources.load(name);
    if (project === null || !('imageCoverUrl' in project)) {
      throw new Error(`The project ${name} of a resource does not exist.`);
    }
    return project;
  }

  getViewer(): Promise<Token> {
    const { data, principal } = this;
    return cached(this.state, 'viewer', () => data.getViewer(principal));
  }

  listProjects(input: FilteredArguments): Promise<ProjectPage> {
    const { data, principal } = this;
    const read = () => this.counted(data.listProjects(principal, input));
    return cached(this.state, keyOf('projects', input), read);
  }

  findWallets(input: ConnectionArguments & { readonly address?: unknown }): Promise<ConnectionPage<Wallet>> {
    const { data, principal } = this;
    const read = () => this.counted(data.findWallets(principal, input));
    return cached(this.state, keyOf('wallets at', input), read);
  }

  listEvents(input: EventArguments): Promise<ConnectionPage<AuditEvent>> {
    const { data, principal } = this;
    return cached(this.state, keyOf('events', input), () => this.counted(data.listEvents(principal, input)));
  }

  listTokens(input: ConnectionArguments): Promise<ConnectionPage<Token>> {
    const { data, principal } = this;
    const read = () => this.counted(data.listTokens(principal, input));
    return cached(this.state, keyOf('tokens', input), read);
  }

  /** Returns a page of the apps of a project. The same page of all projects of a turn is one call of the data layer. */
  listApps(project: ProjectName, input: ConnectionArguments): Promise<Connection<App>> {
    const { data, principal, state } = this;
    const list = (names: readonly ProjectName[]) =>
      this.counted(data.listProjectApps(principal, names, input));
    return pageLoader(state, 'apps', input, list).load(project);
  }

  listWallets(project: ProjectName, input: FilteredArguments): Promise<Connection<Wallet>> {
    const { data, principal, state } = this;
    const list = (names: readonly ProjectName[]) =>
      this.counted(data.listProjectWallets(principal, names, input));
    return pageLoader(state, 'wallets', input, list).load(project);
  }

  /** Counts memory that the request is about to take. Returns an error, which ends the request, if it is not available. */
  claimMemory(bytes: number): ApiError | undefined {
    this.state.refusal ??= this.request.claim(bytes);
    return this.state.refusal;
  }

  /** Counts the memory of what is read, and returns it. @throws UNAVAILABLE if it is not available */
  async counted<T>(read: Promise<T>): Promise<T> {
    const value = await read;
    const refusal = this.claimMemory(MEMORY_PER_BYTE * minBytes(value));
    if (refusal !== undefined) throw refusal;
    return value;
  }

  /** Forgets what was read, because a mutation may change it. */
  forget(): void {
    this.state.cache.clear();
  }
}

/** Returns the cached value of a key, or reads and caches it. A key has values of one type. */
function cached<T>({ cache }: RequestState, key: string, read: () => T): T {
  if (!cache.has(key)) cache.set(key, read());
  return cache.get(key) as T;
}

/** Returns the key of what is read with these arguments, in any order. Null means the same as omitted. */
function keyOf(read: string, input: object): string {
  const given = Object.entries(input).filter(([, value]) => value != null);
  return JSON.stringify([read, given.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Returns the loader of the same page of a list of several projects. */
function pageLoader<T>(
  state: RequestState,
  name: string,
  input: FilteredArguments,
  list: (projects: readonly ProjectName[]) => Promise<readonly ConnectionPage<T>[]>,
): DataLoader<ProjectName, Connection<T>> {
  const { first: _f, after: _a, last: _l, before: _b, ...filters } = input;
  const load = async (projects: readonly ProjectName[]) =>
    (await list(projects)).map((page, index) => {
      // A count can take 10,000 rows, and a request can have many pages of a list.
      const count = keyOf(`count ${name} ${projects[index]}`, filters);
      const readTotalCount = () => cached(state, count, () => page.readTotalCount());
      return new Connection({ ...page, readTotalCount });
    });
  return cached(state, keyOf(name, input), () => new DataLoader(load, BATCHES));
}
