import { projectNotVisible, resourceNotFound } from '../model/api-error.ts';
import { description, nameIn, network, optional, parseFields, password, title } from '../model/fields.ts';
import type { Principal } from '../model/principal.ts';
import { idOf, type Ulid } from '../model/resource-name.ts';
import type { Wallet } from '../model/wallet.ts';
import { findProjects } from '../storage/projects.ts';
import { changeWallet, findWallets } from '../storage/wallets.ts';
import type { Sent } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import { walletFromRow } from './from-row.ts';

const RULES = {
  name: nameIn('wallets'),
  title: optional(title),
  description: optional(description),
  project: optional(nameIn('projects')),
  network: optional(network),
  password: optional(password),
};

/** See `DataLayer.updateWallet`. */
export async function updateWallet(
  dependencies: Dependencies,
  principal: Principal,
  sent: Sent,
): Promise<Wallet> {
  const { database, passwords, clock } = dependencies;
  const { name, title, description, project, network, password } = parseFields(sent, RULES);
  const id = idOf(name);
  const projectId = project && idOf(project);
  if (projectId !== undefined && !(await canSeeProject(dependencies, principal, projectId))) {
    throw projectNotVisible();
  }

  const { accountId } = principal;
  const within = principal.level === 'project' ? principal.projectId : undefined;
  const passwordHash = password === undefined ? undefined : await passwords.hash(password);
  const changes = { title, description, projectId, network, passwordHash };
  const row = Object.values(changes).some((value) => value !== undefined)
    ? await changeWallet(database, accountId, id, within, changes, clock())
    : (await findWallets(database, accountId, [id])).find(
        (wallet) => wallet.project_id === (within ?? wallet.project_id),
      );
  if (row === undefined) throw resourceNotFound();
  return walletFromRow(row);
}

async function canSeeProject({ database }: Dependencies, principal: Principal, id: Ulid): Promise<boolean> {
  if (principal.level === 'project') return principal.projectId === id;
  return (await findProjects(database, principal.accountId, [id])).length > 0;
}
