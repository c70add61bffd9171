import { deleteApp } from '../data/apps/delete-app.ts';
import { listApps } from '../data/apps/list-apps.ts';
import { rotateAppKey } from '../data/apps/rotate-app-key.ts';
import { updateApp } from '../data/apps/update-app.ts';
import { createApp } from '../data/create-app.ts';
import { appView } from '../model/app.ts';
import { clientSettings } from '../model/client-settings.ts';
import { changeCommand } from './cli/change-command.ts';
import {
  ACCOUNT_OPTION,
  type Command,
  NEW_TEXT_OPTIONS,
  optionalOption,
  PROJECT_OPTION,
  TEXT_OPTIONS,
  YES_OPTION,
} from './cli/command.ts';
import { durationOf, inWords } from './cli/duration.ts';
import { listCommand } from './cli/list-command.ts';
import { toMinute } from './cli/safe-output.ts';
import { listedAppView } from './cli/views.ts';

export const appCommands: readonly Command[] = [
  changeCommand({
    synopsis: 'app create',
    summary: 'Creates an active app in a project. Its private key is shown once.',
    options: { project: PROJECT_OPTION, title: TEXT_OPTIONS.title },
    isSecret: true,
    run: (operator, input) => createApp(operator, { ...input, active: true }),
    view: appView,
    // Lines of an .env file, which a shell and a container read as well.
    text: ({ name, privateKey, project }) =>
      `# An app in ${project}. Its private key is shown only now.\n${clientSettings({ clientId: name, clientSecret: privateKey })}`,
  }),
  listCommand({
    synopsis: 'app list',
    summary: 'Lists the apps of an account.',
    plural: 'apps',
    filters: { account: ACCOUNT_OPTION },
    read: listApps,
    view: listedAppView,
    columns: ({ name, title, active, keys, lastSignInTime }, isWide) => ({
      name,
      title,
      state: active ? 'active' : 'inactive',
      'last sign-in': (isWide ? lastSignInTime : toMinute(lastSignInTime)) || 'never',
      ...(isWide && { keys: `${keys.length}` }),
    }),
  }),
  changeCommand({
    synopsis: 'app update <name>',
    summary: 'Updates an app. Omitted fields are not changed.',
    options: { title: NEW_TEXT_OPTIONS.title },
    run: updateApp,
    view: appView,
    text: ({ name }) => `Updated ${name}.`,
  }),
  changeCommand({
    synopsis: 'app activate <name>',
    summary: 'Activates an app. Only an active app can sign in.',
    run: (operator, input) => updateApp(operator, { ...input, active: true }),
    view: appView,
    text: ({ name }) => `${name} is now active.`,
  }),
  changeCommand({
    synopsis: 'app deactivate <name>',
    summary: 'Deactivates an app and revokes its project tokens.',
    run: (operator, input) => updateApp(operator, { ...input, active: false }),
    view: appView,
    text: ({ name }) => `${name} is now inactive.`,
  }),
  changeCommand({
    synopsis: 'app rotate-key <name>',
    summary: 'Rotates the private key of an app. The new key is shown once.',
    options: {
      grace: optionalOption(
        '<duration>',
        'How long the old key and its project tokens stay valid, such as 1h, up to 7d. They are revoked immediately by default.',
      ),
    },
    isSecret: true,
    async run(operator, { name, grace = '0s' }) {
      const gracePeriod = durationOf('grace', grace, 0, '7d');
      return { ...(await rotateAppKey(operator, { name, gracePeriod })), gracePeriod };
    },
    view: appView,
    text({ name, privateKey, gracePeriod }) {
      const end = gracePeriod === 0 ? 'has ended' : `ends in ${inWords(gracePeriod)}`;
      return `${privateKey}\nThis is the new private key of ${name}. The old one ${end}.`;
    },
  }),
  changeCommand({
    synopsis: 'app delete <name>',
    summary: 'Deletes an app and revokes its project tokens.',
    options: { yes: YES_OPTION },
    run: deleteApp,
    view: appView,
    text: ({ name }) => `Deleted ${name}.`,
  }),
];
