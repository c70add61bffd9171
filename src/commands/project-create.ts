import { createProject } from '../data/create-project.ts';
import { projectView } from '../model/project.ts';
import type { Command } from './command.ts';
import { withDatabase } from './with-database.ts';

export const projectCreate: Command = {
  name: 'project create',
  summary: 'Creates a project in an account.',
  options: {
    account: { value: '<name>', description: 'The account, accounts/<ULID>.', required: true },
    title: { value: '<text>', description: 'The title, 1 to 200 characters.', required: true },
    description: { value: '<text>', description: 'A short description, up to 2,000 characters.' },
  },
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      const project = await createProject(admin, {
        account: args.required('account'),
        title: args.required('title'),
        description: args.optional('description'),
      });
      args.print(projectView(project), `Created ${project.name}.`);
    }),
};
