import { invalidFields } from '../model/api-error.ts';
import { parseFields, resourceNameValidator } from '../model/fields.ts';
import { Connection } from './connection.ts';
import type { QueryResolvers } from './schema-types.ts';

const MAX_NODES = 100;

const nodeName = resourceNameValidator('projects', 'apps', 'wallets');

export const queries: QueryResolvers = {
  node: (_parent, args, { resources }) => resources.load(parseFields(args, { id: nodeName }).id),

  async nodes(_parent, { ids }, { resources }) {
    if (ids.length > MAX_NODES) {
      throw invalidFields([{ field: 'ids', description: `Must have at most ${MAX_NODES} items.` }]);
    }
    // The same id can be requested many times. It is validated and loaded once.
    const distinct = [...new Set(ids)];
    const fields = Object.fromEntries(distinct.map((id) => [`ids[${ids.indexOf(id)}]`, id]));
    const validators = Object.fromEntries(Object.keys(fields).map((field) => [field, nodeName]));
    const names = Object.values(parseFields(fields, validators));
    const loaded = await Promise.all(names.map((name) => resources.load(name)));
    const byId = new Map(distinct.map((id, index) => [id, loaded[index] ?? null]));
    return ids.map((id) => byId.get(id) ?? null);
  },

  viewer: (_parent, _args, context) => context.getViewer(),

  tokens: async (_parent, args, context) => new Connection(await context.listTokens(args)),

  projects: async (_parent, args, context) => new Connection(await context.listProjects(args)),

  wallets: async (_parent, args, context) => new Connection(await context.findWallets(args)),

  events: async (_parent, args, context) => new Connection(await context.listEvents(args)),
};
