import { updateProject } from '../data/update-project.ts';
import { projectView } from '../model/project.ts';
import type { Command } from './command.ts';
import { withDatabase } from './with-database.ts';

export const projectUpdate: Command = {
  name: 'project update',
  summary: 'Updates a project. Omitted fields are not changed.',
  operand: 'name',
  options: {
    title: { value: '<text>', description: 'The new title, 1 to 200 characters.' },
    description: { value: '<text>', description: 'The new description, up to 2,000 characters.' },
  },
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      const project = await updateProject(admin, {
        name: args.operand,
        title: args.optional('title'),
        description: args.optional('description'),
      });
      args.print(projectView(project), `Updated ${project.name}.`);
    }),
};
