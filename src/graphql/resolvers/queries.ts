import { listApps } from '../../data/apps/list-apps.ts';
import { listEvents } from '../../data/events/list-events.ts';
import { listProjects } from '../../data/list-projects.ts';
import { getViewer } from '../../data/tokens/get-viewer.ts';
import { listTokens } from '../../data/tokens/list-tokens.ts';
import { searchWallets } from '../../data/wallets/list-wallets.ts';
import { parseFields, resourceNameValidator } from '../../model/fields/fields.ts';
import { Connection } from '../connection.ts';
import type { QueryResolvers } from '../generated/schema-types.ts';
import { loadNamed } from './named-resources.ts';

const nodeName = resourceNameValidator('projects', 'apps', 'wallets');

export const queries: QueryResolvers = {
  node: (_parent, args, { resources }) => resources.load(parseFields(args, { id: nodeName }).id),

  nodes: (_parent, { ids }, context) =>
    loadNamed('ids', ids, (value, field) => ({ field, value, validator: nodeName }), context),

  viewer: (_parent, _args, context) => context.read(getViewer),

  tokens: async (_parent, args, context) => new Connection(await context.read(listTokens, args)),

  projects: async (_parent, args, context) => new Connection(await context.read(listProjects, args)),

  apps: async (_parent, args, context) => new Connection(await context.read(listApps, args)),

  wallets: async (_parent, args, context) => new Connection(await context.read(searchWallets, args)),

  events: async (_parent, args, context) => new Connection(await context.read(listEvents, args)),
};
