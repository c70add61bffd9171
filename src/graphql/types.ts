import { type GraphQLResolveInfo, Kind } from 'graphql';
import type { App } from '../model/app.ts';
import type { Project } from '../model/project.ts';
import { collectionOf, type ResourceName, resourceName } from '../model/resource-name.ts';
import type { Context } from './context.ts';
import type { Resolvers } from './schema-types.ts';

/** The resolvers of the object types. Only fields that differ from the model have a resolver. */
export const types = {
  Node: {
    __resolveType: ({ name }) => TYPE_OF[collectionOf(name)],
  },

  Project: {
    apps: ({ name }, args, context) => context.listApps(name, args),
    wallets: ({ name }, args, context) => context.listWallets(name, args),
    createTime: ({ createTimeMs }) => new Date(createTimeMs),
  },

  App: {
    project: ({ project }, _args, context, info) => resolveProject(project, context, info),
    createTime: ({ createTimeMs }) => new Date(createTimeMs),
  },

  Wallet: {
    project: ({ project }, _args, context, info) => resolveProject(project, context, info),
    password: () => '',
    createTime: ({ createTimeMs }) => new Date(createTimeMs),
    updateTime: ({ updateTimeMs }) => new Date(updateTimeMs),
  },

  Viewer: {
    name: ({ id }) => resourceName('tokens', id),
    level: ({ level }) => (level === 'account' ? 'ACCOUNT' : 'PROJECT'),
    project: ({ project }, _args, context, info) => resolveProject(project, context, info),
    app: ({ app }, _args, { resources }) => (app === undefined ? null : loadApp(app, resources)),
    expireTime: ({ expireTimeMs }) => new Date(expireTimeMs),
  },

  AppConnection: {
    totalCount: ({ page }) => page.readTotalCount(),
  },

  ProjectConnection: {
    totalCount: ({ page }) => page.readTotalCount(),
  },

  WalletConnection: {
    totalCount: ({ page }) => page.readTotalCount(),
  },

  // `hasMore` and `hasPrevious` of a page are relative to the direction of paging.
  PageInfo: {
    hasNextPage: ({ page }) => (page.direction === 'forward' ? page.hasMore : page.readHasPrevious()),
    hasPreviousPage: ({ page }) => (page.direction === 'backward' ? page.hasMore : page.readHasPrevious()),
  },
} satisfies Resolvers;

const TYPE_OF = { projects: 'Project', apps: 'App', wallets: 'Wallet' } as const;

const NAME_FIELDS = new Set(['id', 'name', '__typename']);

/** Resolves the project of a resource. The project is read only if the query selects more than its name. */
async function resolveProject(
  name: ResourceName<'projects'>,
  { resources }: Context,
  { fieldNodes }: GraphQLResolveInfo,
): Promise<Project> {
  const selected = fieldNodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
  if (selected.every((selection) => selection.kind === Kind.FIELD && NAME_FIELDS.has(selection.name.value))) {
    return { id: name, name } as Project;
  }
  const project = await resources.load(name);
  if (project === null || !('imageCoverUrl' in project)) {
    throw new Error(`The project ${name} of a resource does not exist.`);
  }
  return project;
}

async function loadApp(name: ResourceName<'apps'>, resources: Context['resources']): Promise<App | null> {
  const app = await resources.load(name);
  return app !== null && 'privateKey' in app ? app : null;
}
