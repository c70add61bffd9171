import { projectNotVisible, resourceNotFound } from '../model/api-error.ts';
import { parseFields } from '../model/fields.ts';
import { updateWalletFields } from '../model/operation-fields.ts';
import type { Principal } from '../model/principal.ts';
import { idOf } from '../model/resource-name.ts';
import type { Wallet } from '../model/wallet.ts';
import { changeWallet, findUpdateTargets, findWallet } from '../storage/wallets.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import { walletFromRow } from './from-row.ts';

/** See `DataLayer.updateWallet`. */
export async function updateWallet(
  dependencies: Dependencies,
  principal: Principal,
  input: UntrustedInput,
): Promise<Wallet> {
  const { database, passwords, clock } = dependencies;
  const { name, title, description, project, network, password } = parseFields(input, updateWalletFields);
  const id = idOf(name);
  const projectId = project && idOf(project);
  const { accountId } = principal;
  const within = principal.level === 'project' ? principal.projectId : undefined;

  // A password is hashed only for a wallet that there is: it takes more than all else here.
  if (projectId !== undefined || password !== undefined) {
    const found = await findUpdateTargets(database, accountId, id, within, projectId);
    const inReach = projectId === undefined || projectId === (within ?? projectId);
    if (!inReach || !found.project) throw projectNotVisible();
    if (!found.wallet) throw resourceNotFound();
  }
  const passwordHash = password === undefined ? undefined : await passwords.hash(password);
  const changes = { title, description, projectId, network, passwordHash };
  const row = Object.values(changes).some((value) => value !== undefined)
    ? await changeWallet(database, accountId, id, within, changes, clock())
    : await findWallet(database, accountId, id, within);
  if (row === undefined) throw resourceNotFound();
  return walletFromRow(row);
}
