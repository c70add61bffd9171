import { invalidFields } from '../model/api-error.ts';
import { parseFields, resourceNameValidator } from '../model/fields.ts';
import { Connection } from './connection.ts';
import type { QueryResolvers } from './schema-types.ts';

const MAX_NODES = 100;

const nodeName = resourceNameValidator('projects', 'apps', 'wallets');

/** The resolvers of `Query`. */
export const queries: QueryResolvers = {
  node: (_parent, args, { resources }) => resources.load(parseFields(args, { id: nodeName }).id),

  nodes(_parent, { ids }, { resources }) {
    if (ids.length > MAX_NODES) {
      throw invalidFields([{ field: 'ids', description: `Must have at most ${MAX_NODES} names.` }]);
    }
    const fields = Object.fromEntries(ids.map((id, index) => [`ids[${index}]`, id]));
    const validators = Object.fromEntries(ids.map((_, index) => [`ids[${index}]`, nodeName]));
    const names = Object.values(parseFields(fields, validators));
    return Promise.all(names.map((name) => resources.load(name)));
  },

  viewer: (_parent, _args, context) => context.getViewer(),

  projects: async (_parent, args, context) => new Connection(await context.listProjects(args)),
};
