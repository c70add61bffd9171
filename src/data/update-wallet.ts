import { projectNotVisible, resourceNotFound } from '../model/api-error.ts';
import { parseFields } from '../model/fields.ts';
import { updateWalletFields } from '../model/operation-fields.ts';
import type { Principal } from '../model/principal.ts';
import { idOf } from '../model/resource-name.ts';
import type { Wallet } from '../model/wallet.ts';
import { audited } from '../storage/audit-events.ts';
import { isForeignKeyViolation } from '../storage/foreign-keys.ts';
import {
  findUpdateTargets,
  findWallet,
  updateWallet as updateWalletRow,
  type WalletRow,
} from '../storage/wallets.ts';
import { clientEvent, fieldsIn } from './audit.ts';
import type { Client, UntrustedInput } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import { walletFromRow } from './from-row.ts';

/** See `DataLayer.updateWallet`. */
export async function updateWallet(
  dependencies: Pick<Dependencies, 'database' | 'passwords' | 'clock' | 'newId'>,
  principal: Principal,
  input: UntrustedInput,
  client: Client,
): Promise<Wallet> {
  const { database, passwords, clock } = dependencies;
  const { name, ...newValues } = parseFields(input, updateWalletFields);
  const { title, description, project, network, password } = newValues;
  const id = idOf(name);
  const projectId = project && idOf(project);
  const { accountId } = principal;
  const scopeProjectId = principal.level === 'project' ? principal.projectId : undefined;

  const isInScope = projectId === undefined || projectId === (scopeProjectId ?? projectId);
  if (!isInScope) throw projectNotVisible();
  const assertTargets = async () => {
    const exists = await findUpdateTargets(database, accountId, id, scopeProjectId, projectId);
    if (!exists.project) throw projectNotVisible();
    if (!exists.wallet) throw resourceNotFound();
  };
  // So that no password is hashed for a missing wallet: a hash takes most of the time of an update.
  if (password !== undefined) await assertTargets();
  const fields = fieldsIn(newValues);
  if (fields.length === 0) return found(await findWallet(database, accountId, id, scopeProjectId));

  const passwordHash = password === undefined ? undefined : await passwords.hash(password, accountId);
  const changes = { title, description, projectId, network, passwordHash };
  const act = { action: 'wallet.update', resource: name, fields } as const;
  const target = audited(database, clientEvent(dependencies, principal, client, act));
  const row = await updateWalletRow(target, accountId, id, scopeProjectId, changes, clock()).catch(
    translateError,
  );
  if (row === undefined) await assertTargets();
  return found(row);
}

/** Returns the wallet of a row. @throws NOT_FOUND if there is none */
function found(row: WalletRow | undefined): Wallet {
  if (row === undefined) throw resourceNotFound();
  return walletFromRow(row);
}

/** The project can be deleted after the check, for example while the password is hashed. */
function translateError(error: unknown): never {
  throw isForeignKeyViolation(error) ? projectNotVisible() : error;
}
