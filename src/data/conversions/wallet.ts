import {
  address,
  description,
  network,
  optional,
  type Parsed,
  reference,
  resourceNameValidator,
  title,
} from '../../model/fields/fields.ts';
import { idOf, type ResourceName, resourceName, type Ulid } from '../../model/resource-name.ts';
import { titleKey } from '../../model/title-key.ts';
import type { Wallet } from '../../model/wallet.ts';
import type { NewWalletRow, WalletRow } from '../../storage/tables/wallets.ts';
import type { OperatorContext } from '../call/call.ts';

/** The validators of the fields of a new wallet, for a creation and for an import. */
export const NEW_WALLET = {
  name: optional(resourceNameValidator('wallets')),
  project: resourceNameValidator('projects'),
  title,
  description: optional(description),
  network,
  address,
  reference: optional(reference),
};

export function walletFromRow(row: WalletRow): Wallet {
  const name = resourceName('wallets', row.id);
  return {
    id: name,
    name,
    title: row.title,
    description: row.description,
    project: resourceName('projects', row.project_id),
    network: row.network,
    address: row.address,
    reference: row.reference,
    createTimeMs: row.create_time_ms,
    updateTimeMs: row.update_time_ms,
    archiveTimeMs: row.archive_time_ms ?? undefined,
    etag: row.revision,
  };
}

/** A new wallet: without a name, it gets a new one. Times are in Unix milliseconds; by default both are the current one. */
type NewWallet = Omit<Parsed<typeof NEW_WALLET>, 'address' | 'name'> & {
  readonly name?: ResourceName<'wallets'> | undefined;
  readonly createTime?: number | undefined;
  readonly updateTime?: number | undefined;
  readonly archiveTime?: number | undefined;
};

/** Returns the row of a new wallet of an account, for a creation and for an import, without its address. */
export function newWalletRow(
  { clock, newId }: Pick<OperatorContext, 'clock' | 'newId'>,
  accountId: Ulid,
  {
    name,
    project,
    description: text = '',
    createTime = clock(),
    updateTime = createTime,
    archiveTime,
    ...fields
  }: NewWallet,
): NewWalletRow {
  return {
    account_id: accountId,
    id: name === undefined ? newId() : idOf(name),
    project_id: idOf(project),
    ...fields,
    title_key: titleKey(fields.title),
    description: text,
    reference: fields.reference ?? null,
    create_time_ms: createTime,
    update_time_ms: updateTime,
    revision: newId(),
    archived: archiveTime === undefined ? 0 : 1,
    archive_time_ms: archiveTime ?? null,
  };
}
