import { deleteProject } from '../data/delete-project.ts';
import { projectView } from '../model/project.ts';
import { type Command, YES } from './command.ts';
import { withDatabase } from './with-database.ts';

export const projectDelete: Command = {
  name: 'project delete',
  summary: 'Deletes a project that has no apps and no wallets, and is no default project.',
  operand: 'name',
  options: { yes: YES },
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      const project = await deleteProject(admin, { name: args.operand });
      args.print(projectView(project), `Deleted ${project.name}.`);
    }),
};
