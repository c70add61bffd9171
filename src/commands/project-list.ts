import { listAccountProjects } from '../data/list-of-account.ts';
import { projectView } from '../rest/views.ts';
import { listCommand } from './list-command.ts';

export const projectList = listCommand({
  name: 'project list',
  summary: 'Lists the projects of an account.',
  plural: 'projects',
  filters: { account: { value: '<name>', description: 'The account, accounts/<ULID>.', required: true } },
  read: listAccountProjects,
  view: projectView,
  columns: ({ name, title }) => [name, title],
});
