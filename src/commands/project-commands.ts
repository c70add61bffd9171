import { listProjects } from '../data/list-projects.ts';
import { createProject } from '../data/projects/create-project.ts';
import { deleteProject } from '../data/projects/delete-project.ts';
import { updateProject } from '../data/projects/update-project.ts';
import { projectView } from '../model/project.ts';
import { changeCommand } from './cli/change-command.ts';
import { ACCOUNT_OPTION, type Command, NEW_TEXT_OPTIONS, TEXT_OPTIONS, YES_OPTION } from './cli/command.ts';
import { listCommand } from './cli/list-command.ts';
import { withoutEmptyReference, withReference } from './cli/views.ts';

const view = withReference(projectView);

export const projectCommands: readonly Command[] = [
  changeCommand({
    synopsis: 'project create',
    summary: 'Creates a project in an account.',
    options: { account: ACCOUNT_OPTION, ...TEXT_OPTIONS },
    run: createProject,
    view: ({ project, isNew }) => ({ ...view(project), isNew }),
    text: ({ project: { name }, isNew }) => (isNew ? `Created ${name}.` : `${name} has this reference.`),
  }),
  listCommand({
    synopsis: 'project list',
    summary: 'Lists the projects of an account.',
    plural: 'projects',
    filters: { account: ACCOUNT_OPTION },
    read: listProjects,
    view,
    columns: ({ name, title, reference, description }, isWide) => ({
      name,
      title,
      ...(isWide && { reference, description }),
    }),
  }),
  changeCommand({
    synopsis: 'project update <name>',
    summary: 'Updates a project. Omitted fields are not changed.',
    options: NEW_TEXT_OPTIONS,
    run: (operator, input) => updateProject(operator, withoutEmptyReference(input)),
    view,
    text: ({ name }) => `Updated ${name}.`,
  }),
  changeCommand({
    synopsis: 'project delete <name>',
    summary: 'Deletes a project that has no apps and no wallets, and is not a default project.',
    options: { yes: YES_OPTION },
    run: deleteProject,
    view,
    text: ({ name }) => `Deleted ${name}.`,
  }),
];
