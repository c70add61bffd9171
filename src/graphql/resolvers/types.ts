import { type GraphQLResolveInfo, Kind } from 'graphql';
import { listAppsOfProjects } from '../../data/apps/list-apps.ts';
import { countAddresses } from '../../data/wallets/count-addresses.ts';
import { listWalletsOfProjects } from '../../data/wallets/list-wallets.ts';
import type { App } from '../../model/app.ts';
import { type AuditEvent, actorOf } from '../../model/audit-event.ts';
import { ByteCache, countBytes } from '../../model/byte-cache.ts';
import { projectEtag } from '../../model/etag.ts';
import type { ConnectionPage } from '../../model/lists/list-page.ts';
import type { Project } from '../../model/project.ts';
import { collectionOf, type ResourceName, resourceName, type Ulid } from '../../model/resource-name.ts';
import type { GraphqlContext } from '../context.ts';
import type { Resolvers, ResolversParentTypes, Scalars } from '../generated/schema-types.ts';

type ObjectResolvers = Omit<Required<Resolvers>, 'Query' | 'Mutation' | keyof Scalars>;

/** The resolvers of the fields of a type that its model does not have as a property of the right type. */
type MissingFields<Model, Fields> = {
  [F in keyof Fields as F extends keyof Model
    ? Model[F] extends ReturnType<Extract<Fields[F], (...args: never[]) => unknown>>
      ? never
      : F
    : Exclude<F, '__isTypeOf'>]: Fields[F];
};

type Missing<T extends keyof ObjectResolvers> = MissingFields<
  ResolversParentTypes[T],
  Required<ObjectResolvers[T]>
>;

/** The resolvers that the contract needs in addition to the models: a forgotten one does not compile. */
type RequiredResolvers = {
  [T in keyof ObjectResolvers as object extends Missing<T> ? never : T]: Missing<T>;
};

/** The resolvers of the fields that `Viewer` and `Token` have. */
const tokenFields = {
  name: ({ id }) => resourceName('tokens', id),
  level: ({ level }) => (level === 'account' ? 'ACCOUNT' : 'PROJECT'),
  project: ({ project }, _args, context, info) => resolveProject(project, context, info),
  app: ({ app }, _args, { resources }) => (app === undefined ? null : loadApp(app, resources)),
  maker: ({ makerTokenId }) => tokenName(makerTokenId),
  expireTime: ({ expireTimeMs }) => isoTime(expireTimeMs),
} satisfies Omit<Required<Resolvers>['Viewer'], 'addressesLeft'>;

/** The resolvers of the fields of each connection. */
const connectionFields = {
  totalCount: ({ page }: { readonly page: Pick<ConnectionPage<unknown>, 'readTotalCount'> }) =>
    page.readTotalCount(),
};

/** The resolvers of the object types. Only fields that differ from the model have a resolver. */
export const types = {
  Node: {
    __resolveType: ({ name }) => TYPE_OF[collectionOf(name)],
  },

  Project: {
    apps: ({ name }, args, context) => context.listOfProject(listAppsOfProjects, name, args),
    wallets: ({ name }, args, context) => context.listOfProject(listWalletsOfProjects, name, args),
    createTime: ({ createTimeMs }) => isoTime(createTimeMs),
    etag: projectEtag,
  },

  App: {
    project: ({ project }, _args, context, info) => resolveProject(project, context, info),
    lastSignInTime: ({ lastSignInTimeMs }) => isoTimeOrNull(lastSignInTimeMs),
    createTime: ({ createTimeMs }) => isoTime(createTimeMs),
  },

  AppKey: {
    createTime: ({ createTimeMs }) => isoTime(createTimeMs),
    expireTime: ({ expireTimeMs }) => isoTimeOrNull(expireTimeMs),
  },

  Wallet: {
    project: ({ project }, _args, context, info) => resolveProject(project, context, info),
    password: () => '',
    createTime: ({ createTimeMs }) => isoTime(createTimeMs),
    updateTime: ({ updateTimeMs }) => isoTime(updateTimeMs),
    archiveTime: ({ archiveTimeMs }) => isoTimeOrNull(archiveTimeMs),
  },

  Event: {
    id: eventName,
    name: eventName,
    credential: ({ actorTokenId }) => tokenName(actorTokenId),
    app: ({ app }) => app ?? null,
    by: async (event, _args, { resources }) =>
      actorOf(event, event.app && (await loadApp(event.app, resources))?.title),
    token: ({ tokenId }) => tokenName(tokenId),
    address: ({ address }) => address || null,
    requestId: ({ requestId }) => requestId ?? null,
    time: ({ timeMs }) => isoTime(timeMs),
    lastTime: ({ lastTimeMs }) => isoTime(lastTimeMs),
    resourceTitle: async ({ resource }, _args, { resources }) =>
      isLoadable(resource) ? ((await resources.load(resource))?.title ?? null) : null,
  },

  Viewer: {
    ...tokenFields,
    addressesLeft: (_viewer, _args, context) => context.read(countAddresses),
  },

  Token: {
    ...tokenFields,
    id: tokenFields.name,
    createTime: ({ createTimeMs }) => isoTime(createTimeMs),
    lastUseTime: ({ lastUseTimeMs }) => (lastUseTimeMs === undefined ? null : isoTime(lastUseTimeMs)),
    current: ({ id }, _args, { principal }) => id === principal.tokenId,
  },

  AppConnection: connectionFields,
  EventConnection: connectionFields,
  ProjectConnection: connectionFields,
  TokenConnection: connectionFields,
  WalletConnection: connectionFields,

  // `hasMore` and `hasPrevious` of a page are relative to the direction of paging.
  PageInfo: {
    hasNextPage: ({ page }) => (page.direction === 'forward' ? page.hasMore : page.readHasPrevious()),
    hasPreviousPage: ({ page }) => (page.direction === 'backward' ? page.hasMore : page.readHasPrevious()),
  },
} satisfies Resolvers & RequiredResolvers;

const TYPE_OF = { projects: 'Project', apps: 'App', wallets: 'Wallet' } as const;

// A query can select the time of an object many times, and most of the cost is the text. More than 10,000 times.
const isoTimes = new ByteCache<string, number>(4_000_000, countBytes);

export function isoTime(timeMs: number): string {
  const known = isoTimes.get(timeMs);
  if (known !== undefined) return known;
  const text = new Date(timeMs).toISOString();
  isoTimes.set(timeMs, text);
  return text;
}

function isoTimeOrNull(timeMs: number | undefined): string | null {
  return timeMs === undefined ? null : isoTime(timeMs);
}

function isLoadable(name: ResourceName): boolean {
  return collectionOf(name) in TYPE_OF;
}

const NAME_FIELDS = new Set(['id', 'name', '__typename']);

function eventName({ id }: AuditEvent): string {
  return `events/${id}`;
}

function tokenName(id: Ulid | undefined): string | null {
  return id === undefined ? null : resourceName('tokens', id);
}

/** Resolves the project of a resource. The project is read only if the query selects more than its name. */
function resolveProject(
  name: ResourceName<'projects'>,
  context: GraphqlContext,
  { fieldNodes }: GraphQLResolveInfo,
): Project | Promise<Project> {
  const isNameOnly = fieldNodes.every(({ selectionSet }) =>
    selectionSet?.selections.every(
      (selection) => selection.kind === Kind.FIELD && NAME_FIELDS.has(selection.name.value),
    ),
  );
  return isNameOnly ? ({ id: name, name } as Project) : context.getProject(name);
}

async function loadApp(
  name: ResourceName<'apps'>,
  resources: GraphqlContext['resources'],
): Promise<App | null> {
  const app = await resources.load(name);
  return app !== null && 'privateKey' in app ? app : null;
}
