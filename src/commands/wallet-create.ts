import { walletFromRow } from '../data/from-row.ts';
import { invalidFields } from '../model/api-error.ts';
import { address, description, network, parseFields, resourceNameValidator, title } from '../model/fields.ts';
import { idOf } from '../model/resource-name.ts';
import type { Wallet } from '../model/wallet.ts';
import { walletView } from '../rest/views.ts';
import { findAccountOfProject } from '../storage/projects.ts';
import { insertWallet } from '../storage/wallets.ts';
import type { Command } from './command.ts';
import { type AdminContext, withDatabase } from './with-database.ts';

const VALIDATORS = { project: resourceNameValidator('projects'), title, description, network, address };

export const walletCreate: Command = {
  name: 'wallet create',
  summary: 'Registers a wallet, with the address that it has on its network, in a project.',
  options: {
    project: { value: '<name>', text: 'The project, projects/<ULID>.', required: true },
    title: { value: '<text>', text: 'The title, 1 to 200 characters.', required: true },
    network: { value: '<network>', text: 'Such as NETWORK_ETHEREUM or NETWORK_POLYGON.', required: true },
    address: {
      value: '<address>',
      text: '0x and 40 hexadecimal digits; a checksum (EIP-55) is checked.',
      required: true,
    },
    description: { value: '<text>', text: 'A short description, up to 2,000 characters.' },
  },
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      const wallet = await createWallet(admin, {
        project: args.required('project'),
        title: args.required('title'),
        network: args.required('network'),
        address: args.required('address'),
        description: args.optional('description') ?? '',
      });
      args.print(walletView(wallet), `Created ${wallet.name}.`);
    }),
};

/**
 * Registers a wallet from `project`, `title`, `description`, `network` and `address`.
 * @throws INVALID_ARGUMENT that names the field
 */
export async function createWallet(
  { database, clock, newId }: AdminContext,
  sent: Readonly<Record<string, unknown>>,
): Promise<Wallet> {
  const { project, ...fields } = parseFields(sent, VALIDATORS);
  const projectId = idOf(project);
  const accountId = await findAccountOfProject(database, project);
  if (accountId === undefined) {
    throw invalidFields([{ field: 'project', description: 'Must be a project that exists.' }]);
  }
  const now = clock();
  const row = {
    account_id: accountId,
    id: newId(),
    project_id: projectId,
    ...fields,
    create_time_ms: now,
    update_time_ms: now,
  };
  await insertWallet(database, row);
  return walletFromRow(row);
}
