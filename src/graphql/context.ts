import DataLoader from 'dataloader';
import type {
  Client,
  DataLayer,
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
import type { ConnectionArguments, ConnectionPage } from '../model/page.ts';
import type { Principal } from '../model/principal.ts';
import type { Project } from '../model/project.ts';
import type { ResourceName } from '../model/resource-name.ts';
import type { Token } from '../model/token.ts';
import type { Wallet } from '../model/wallet.ts';
import { Connection } from './connection.ts';

type FirstRequest = Extract<KeyedRequest, { readonly replay?: undefined }>;

type Resources = DataLoader<ResourceName, Resource | null>;

/** The lists of projects: of their apps, or of their wallets. */
type Lists<T> = {
  /** The loaders of one page of each list, by the arguments of the page. */
  readonly loaders: Map<string, DataLoader<ResourceName<'projects'>, Connection<T>>>;
  /** Read the total counts, which all pages of a list have in common. */
  readonly totalCounts: Map<ResourceName<'projects'>, () => Promise<number>>;
};

const MAX_BATCH_SIZE = 100;

/** The mutable state of one request. */
export type RequestState = {
  resources?: Resources;
  viewer?: Promise<Token>;
  /** Whether a mutation of the request has ended its token. */
  isSignedOut?: boolean;
  /** The pages of projects that were read, by their arguments. */
  readonly pages: Map<string, Promise<ProjectPage>>;
  readonly appLists: Lists<App>;
  readonly walletLists: Lists<Wallet>;
  /** The request, if it has mutations and an `Idempotency-Key`, and is not a replay. */
  keyed?: FirstRequest;
  /** The operation, once it is known. */
  operation?: GraphqlOperation | undefined;
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
  /** Counts an introspection. @throws RESOURCE_EXHAUSTED if it exceeds the limit */
  readonly countIntrospection: () => Promise<void>;
  readonly state: RequestState = {
    pages: new Map(),
    appLists: { loaders: new Map(), totalCounts: new Map() },
    walletLists: { loaders: new Map(), totalCounts: new Map() },
  };

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
    const { data, principal, state } = this;
    state.resources ??= new DataLoader((names) => data.getResources(principal, names), {
      maxBatchSize: MAX_BATCH_SIZE,
    });
    return state.resources;
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
    this.state.viewer ??= this.data.getViewer(this.principal);
    return this.state.viewer;
  }

  /** Calls `DataLayer.listProjects`, and caches the result by its arguments. */
  listProjects(input: ConnectionArguments): Promise<ProjectPage> {
    const { data, principal, state } = this;
    const key = keyOfPage(input);
    const page = state.pages.get(key) ?? data.listProjects(principal, input);
    state.pages.set(key, page);
    return page;
  }

  /** Returns a page of the apps of a project. The same page of all projects of a turn is one call of the data layer. */
  listApps(project: ResourceName<'projects'>, input: ConnectionArguments): Promise<Connection<App>> {
    const { data, principal, state } = this;
    return loaderOf(state.appLists, input, (projects) =>
      data.listProjectApps(principal, projects, input),
    ).load(project);
  }

  /** Returns a page of the wallets of a project. See `listApps`. */
  listWallets(project: ResourceName<'projects'>, input: ConnectionArguments): Promise<Connection<Wallet>> {
    const { data, principal, state } = this;
    return loaderOf(state.walletLists, input, (projects) =>
      data.listProjectWallets(principal, projects, input),
    ).load(project);
  }

  /** Forgets the lists that a mutation may change. */
  forgetLists(): void {
    for (const { loaders, totalCounts } of [this.state.appLists, this.state.walletLists]) {
      loaders.clear();
      totalCounts.clear();
    }
  }
}

/** Returns the key of the page with these arguments. Null means the same as omitted. */
function keyOfPage({ first = null, after = null, last = null, before = null }: ConnectionArguments): string {
  return JSON.stringify([first, after, last, before]);
}

/** Returns the loader of the page with these arguments. */
function loaderOf<T>(
  { loaders, totalCounts }: Lists<T>,
  input: ConnectionArguments,
  list: (projects: readonly ResourceName<'projects'>[]) => Promise<readonly ConnectionPage<T>[]>,
): DataLoader<ResourceName<'projects'>, Connection<T>> {
  const key = keyOfPage(input);
  let loader = loaders.get(key);
  if (loader === undefined) {
    const loadAll = async (projects: readonly ResourceName<'projects'>[]) =>
      (await list(projects)).map((page, index) => {
        const project = projects[index] as ResourceName<'projects'>;
        // A count can take 10,000 rows, and a request can have many pages of a list.
        const readTotalCount = totalCounts.get(project) ?? page.readTotalCount;
        totalCounts.set(project, readTotalCount);
        return new Connection({ ...page, readTotalCount });
      });
    loader = new DataLoader(loadAll, { maxBatchSize: MAX_BATCH_SIZE });
    loaders.set(key, loader);
  }
  return loader;
}
