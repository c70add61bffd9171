import { listProjects } from '../data/list-projects.ts';
import { projectView } from '../model/project.ts';
import { listCommand } from './list-command.ts';

export const projectList = listCommand({
  name: 'project list',
  summary: 'Lists the projects of an account.',
  plural: 'projects',
  filters: { account: { value: '<name>', description: 'The account, accounts/<ULID>.', required: true } },
  read: (dependencies, input) => listProjects(dependencies, 'operator', input),
  view: projectView,
  columns: ({ name, title }) => [name, title],
});
