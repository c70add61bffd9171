import DataLoader from 'dataloader';
import { type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import type { Call } from '../data/data-layer.ts';
import type { FirstRequest } from '../data/idempotency/begin-idempotent.ts';
import { getResources, type Resource } from '../data/lists/get-resources.ts';
import type { IdempotencyHeaders } from '../http/request/idempotency-headers.ts';
import type { Client, Principal } from '../model/caller.ts';
import { ApiError } from '../model/errors.ts';
import type { ConnectionPage, FilteredArguments } from '../model/lists/list-page.ts';
import type { Project } from '../model/project.ts';
import type { ResourceName } from '../model/resource-name.ts';
import { Connection } from './connection.ts';
import { minBytes } from './rules/response-size.ts';

type Resources = DataLoader<ResourceName, Resource | null>;

type ProjectName = ResourceName<'projects'>;

const BATCHES = { maxBatchSize: 100 };

// A character takes two bytes if any in its text is not in Latin-1.
const MEMORY_PER_BYTE = 2;

/**
 * The results that the steps of a request leave for later ones. One file sets each; `bodyOrRejection` decides the
 * response.
 */
export type ExecutionState = {
  /** The data that was read, by keys. */
  readonly cache: Map<string, unknown>;
  /** Whether the request has revoked its own token. Set in resolvers/mutations.ts. */
  isSignedOut?: boolean;
  /** The request, if it has mutations and an `Idempotency-Key`, and is not a replay. Set in idempotency.ts. */
  firstRequest?: FirstRequest;
  /** The operation, once it is known, but for a compiled query. Set in rules/request-checks.ts. */
  operation?: OperationDefinitionNode;
  /** Whether its document was executed before. Set in fast-path/repeated-documents.ts. */
  isRepeated?: boolean;
  /** Whether it has waited among the large responses of its account. Set in rules/large-responses.ts. */
  hasWaited?: boolean;
  /** The error of a request for which the memory of all requests does not suffice. Set by `reserveMemory`. */
  rejection?: ApiError | undefined;
};

/** The parts of the HTTP request that a context uses and counts. */
export type RequestServices = {
  /** Returns undefined if the request has no `Idempotency-Key`. @throws UNAUTHENTICATED if it has one and no token */
  readIdempotencyHeaders(): IdempotencyHeaders | undefined;
  /** Counts the mutations of the request after the first. @throws RESOURCE_EXHAUSTED if they exceed the limit */
  countMutations(count: number): void;
  /** Counts an introspection. @throws RESOURCE_EXHAUSTED if it exceeds the limit */
  countIntrospection(): void;
  /** See `RequestMemory.reserve`. */
  reserve(bytes: number): ApiError | undefined;
};

/**
 * The context that the resolvers of one request share. It caches all reads of the request. Apollo
 * Server executes a query again if its compiled form had an error; the cache serves this second
 * execution.
 *
 * Apollo Server copies the own properties of a context. All mutable values are therefore in the
 * object `state`, which the copies share.
 */
export class GraphqlContext {
  /** The call without an `Idempotency-Key`, or the reason why there is none. */
  readonly own: Call | ApiError;
  readonly client: Client;
  readonly request: RequestServices;
  readonly state: ExecutionState = { cache: new Map() };

  constructor(own: Call | ApiError, client: Client, request: RequestServices) {
    this.own = own;
    this.client = client;
    this.request = request;
  }

  get isAuthenticated(): boolean {
    return !(this.own instanceof ApiError);
  }

  /** The first parameter of the operations of the request. @throws UNAUTHENTICATED as `principal` does */
  get call(): Call {
    return validCall(this.state.firstRequest?.call ?? this.own, this.state);
  }

  /** That without an `Idempotency-Key`. @throws UNAUTHENTICATED as `principal` does */
  get callWithoutKey(): Call {
    return validCall(this.own, this.state);
  }

  /** Whether the request may have changed something that is not undone if it fails. */
  get mayHaveChanged(): boolean {
    const { operation, firstRequest } = this.state;
    return operation?.operation === OperationTypeNode.MUTATION && firstRequest === undefined;
  }

  /** The principal of the request. @throws UNAUTHENTICATED if there is none, or if a mutation has revoked its token */
  get principal(): Principal {
    return this.callWithoutKey.caller.principal;
  }

  /** The loader of resources by name. It batches all loads of the same iteration of the event loop into one call. */
  get resources(): Resources {
    const { call } = this;
    return cached(
      this.state,
      'resources',
      () => new DataLoader((names) => this.counted(getResources(call, names)), BATCHES),
    );
  }

  async getProject(name: ResourceName<'projects'>): Promise<Project> {
    const project = await this.resources.load(name);
    if (project === null || !('imageCoverUrl' in project)) {
      throw new Error(`The project ${name} of a resource does not exist.`);
    }
    return project;
  }

  /** Calls an operation that reads, once for equal arguments. */
  read<Input extends readonly [object?], Result>(
    operation: Read<Input, Result>,
    ...input: Input
  ): Promise<Result> {
    const { call } = this;
    const key = keyOf(operation.name, input[0] ?? {});
    return cached(this.state, key, () => this.counted(operation(call, ...input)));
  }

  /** Returns a page of a list of a project. The same page of all projects of an iteration is one call of the data layer. */
  listOfProject<T>(
    list: ListOfProjects<T>,
    project: ProjectName,
    input: FilteredArguments,
  ): Promise<Connection<T>> {
    const { call, state } = this;
    const pagesOf = (names: readonly ProjectName[]) => this.counted(list(call, names, input));
    return pageLoader(state, list.name, input, pagesOf).load(project);
  }

  /** Counts memory that the request is about to take. Returns an error, which ends the request, if it is not available. */
  reserveMemory(bytes: number): ApiError | undefined {
    this.state.rejection ??= this.request.reserve(bytes);
    return this.state.rejection;
  }

  /** Counts the memory of the data to read, and returns it. @throws UNAVAILABLE if it is not available */
  async counted<T>(read: Promise<T>): Promise<T> {
    const value = await read;
    const refusal = this.reserveMemory(MEMORY_PER_BYTE * minBytes(value));
    if (refusal !== undefined) throw refusal;
    return value;
  }

  /** Forgets the data that was read, because a mutation can change it. */
  forget(): void {
    this.state.cache.clear();
  }
}

function validCall(call: Call | ApiError, { isSignedOut }: ExecutionState): Call {
  if (isSignedOut) throw new ApiError('TOKEN_INVALID');
  if (call instanceof ApiError) throw call;
  return call;
}

/** An operation that changes nothing. */
type Read<Input extends readonly [object?], Result> = {
  readonly rules: { readonly changes: false };
  (call: Call, ...input: Input): Promise<Result>;
};

/** An operation that returns the same page of the lists of several projects. */
type ListOfProjects<T> = (
  call: Call,
  projects: readonly ProjectName[],
  input: FilteredArguments,
) => Promise<readonly ConnectionPage<T>[]>;

/** Returns the cached value of a key, or reads and caches it. A key has values of one type. */
function cached<T>({ cache }: ExecutionState, key: string, read: () => T): T {
  if (!cache.has(key)) cache.set(key, read());
  return cache.get(key) as T;
}

/** Returns the key of the data for these arguments, in any order. Null means the same as omitted. */
function keyOf(read: string, input: object): string {
  const given = Object.entries(input).filter(([, value]) => value != null);
  return JSON.stringify([read, given.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Returns the loader of the same page of a list of several projects. */
function pageLoader<T>(
  state: ExecutionState,
  name: string,
  input: FilteredArguments,
  list: (projects: readonly ProjectName[]) => Promise<readonly ConnectionPage<T>[]>,
): DataLoader<ProjectName, Connection<T>> {
  const { first: _f, after: _a, last: _l, before: _b, ...filters } = input;
  const load = async (projects: readonly ProjectName[]) =>
    (await list(projects)).map((page, index) => {
      // A count can take 1,000 rows, and a request can have many pages of a list.
      const count = keyOf(`count ${name} ${projects[index]}`, filters);
      const readTotalCount = () => cached(state, count, () => page.readTotalCount());
      return new Connection({ ...page, readTotalCount });
    });
  return cached(state, keyOf(name, input), () => new DataLoader(load, BATCHES));
}
