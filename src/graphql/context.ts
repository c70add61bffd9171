import DataLoader from 'dataloader';
import type {
  Client,
  DataLayer,
  EventArguments,
  KeyedRequest,
  Operations,
  ProjectPage,
  RequestDataLayer,
  Resource,
} from '../data/data-layer.ts';
import type { IdempotencyHeaders } from '../http/idempotency.ts';
import type { Failure, GraphqlOperation } from '../http/observation/request-record.ts';
import { ApiError, tokenInvalid } from '../model/api-error.ts';
import type { App } from '../model/app.ts';
import type { AuditEvent } from '../model/audit-event.ts';
import type { ConnectionArguments, ConnectionPage } from '../model/page.ts';
import type { Principal } from '../model/principal.ts';
import type { Project } from '../model/project.ts';
import type { ResourceName } from '../model/resource-name.ts';
import type { Token } from '../model/token.ts';
import type { Wallet } from '../model/wallet.ts';
import { Connection } from './connection.ts';

type FirstRequest = Extract<KeyedRequest, { readonly replay?: undefined }>;

type Resources = DataLoader<ResourceName, Resource | null>;

type ProjectName = ResourceName<'projects'>;

const BATCHES = { maxBatchSize: 100 };

/** The mutable state of one request. */
export type RequestState = {
  /** What was read, by keys. */
  readonly cache: Map<string, unknown>;
  /** Whether a mutation of the request has ended its token. */
  isSignedOut?: boolean;
  /** The request, if it has mutations and an `Idempotency-Key`, and is not a replay. */
  keyed?: FirstRequest;
  /** The operation, once it is known. */
  operation?: GraphqlOperation | undefined;
  /** The JSON of the response, if it was kept. */
  json?: string | undefined;
  /** The first error. */
  failure?: Failure;
};

type ContextOptions = Pick<Context, 'client' | 'authentication'> &
  Partial<Pick<Context, 'readIdempotencyHeaders' | 'countIntrospection'>> & { readonly data: DataLayer };

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
  /** Returns undefined if the request has no `Idempotency-Key`. @throws UNAUTHENTICATED if it has one and no token */
  readonly readIdempotencyHeaders: () => IdempotencyHeaders | undefined;
  /** Counts an introspection whose result was not kept. @throws RESOURCE_EXHAUSTED if it exceeds the limit */
  readonly countIntrospection: () => Promise<void>;
  readonly state: RequestState = { cache: new Map() };

  constructor({
    data,
    client,
    authentication,
    readIdempotencyHeaders = () => undefined,
    countIntrospection = async () => {},
  }: ContextOptions) {
    this.ownData = data.during(client);
    this.client = client;
    this.authentication = authentication;
    this.readIdempotencyHeaders = readIdempotencyHeaders;
    this.countIntrospection = countIntrospection;
  }

  get isAuthenticated(): boolean {
    return !(this.authentication instanceof ApiError);
  }

  /** The operations of the request. */
  get data(): Operations {
    return this.state.keyed?.operations ?? this.ownData;
  }

  /** The principal of the request. @throws UNAUTHENTICATED if there is none, or if a mutation has ended its token */
  get principal(): Principal {
    if (this.state.isSignedOut) throw tokenInvalid();
    if (this.authentication instanceof ApiError) throw this.authentication;
    return this.authentication;
  }

  /** The loader of resources by name. It batches all loads of the same turn into one call. */
  get resources(): Resources {
    const { data, principal } = this;
    return cached(
      this.state,
      'resources',
      () => new DataLoader((names) => data.getResources(principal, names), BATCHES),
    );
  }

  /** Returns the project of a resource. */
  async getProject(name: ResourceName<'projects'>): Promise<Project> {
    const project = await this.resources.load(name);
    if (project === null || !('imageCoverUrl' in project)) {
      throw new Error(`The project ${name} of a resource does not exist.`);
    }
    return project;
  }

  /** Calls `DataLayer.getViewer`, and caches the result. */
  getViewer(): Promise<Token> {
    const { data, principal } = this;
    return cached(this.state, 'viewer', () => data.getViewer(principal));
  }

  /** Calls `DataLayer.listProjects`, and caches the result by its arguments. */
  listProjects(input: ConnectionArguments): Promise<ProjectPage> {
    const { data, principal } = this;
    return cached(this.state, keyOf('projects', input), () => data.listProjects(principal, input));
  }

  /** Calls `DataLayer.listEvents`, and caches the result by its arguments. */
  listEvents(input: EventArguments): Promise<ConnectionPage<AuditEvent>> {
    const { data, principal } = this;
    const key = keyOf(`events ${input.action ?? ''}`, input);
    return cached(this.state, key, () => data.listEvents(principal, input));
  }

  /** Calls `DataLayer.listTokens`, and caches the result by its arguments. */
  listTokens(input: ConnectionArguments): Promise<ConnectionPage<Token>> {
    const { data, principal } = this;
    return cached(this.state, keyOf('tokens', input), () => data.listTokens(principal, input));
  }

  /** Returns a page of the apps of a project. The same page of all projects of a turn is one call of the data layer. */
  listApps(project: ProjectName, input: ConnectionArguments): Promise<Connection<App>> {
    const { data, principal, state } = this;
    const list = (names: readonly ProjectName[]) => data.listProjectApps(principal, names, input);
    return pageLoader(state, 'apps', input, list).load(project);
  }

  /** Returns a page of the wallets of a project. See `listApps`. */
  listWallets(project: ProjectName, input: ConnectionArguments): Promise<Connection<Wallet>> {
    const { data, principal, state } = this;
    const list = (names: readonly ProjectName[]) => data.listProjectWallets(principal, names, input);
    return pageLoader(state, 'wallets', input, list).load(project);
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

/** Returns the key of the page of a list with these arguments. Null means the same as omitted. */
function keyOf(
  list: string,
  { first = null, after = null, last = null, before = null }: ConnectionArguments,
) {
  return JSON.stringify([list, first, after, last, before]);
}

/** Returns the loader of the same page of a list of several projects. */
function pageLoader<T>(
  state: RequestState,
  name: string,
  input: ConnectionArguments,
  list: (projects: readonly ProjectName[]) => Promise<readonly ConnectionPage<T>[]>,
): DataLoader<ProjectName, Connection<T>> {
  const load = async (projects: readonly ProjectName[]) =>
    (await list(projects)).map((page, index) => {
      // A count can take 10,000 rows, and a request can have many pages of a list.
      const count = `count of ${name} of ${projects[index]}`;
      const readTotalCount = () => cached(state, count, () => page.readTotalCount());
      return new Connection({ ...page, readTotalCount });
    });
  return cached(state, keyOf(name, input), () => new DataLoader(load, BATCHES));
}
