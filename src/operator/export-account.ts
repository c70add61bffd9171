import { notFound } from '../data/access/visibility.ts';
import type { OperatorContext } from '../data/call/dependencies.ts';
import type { UntrustedInput } from '../data/call/rules.ts';
import { accountFromRow } from '../data/conversions/account.ts';
import { appFromRow } from '../data/conversions/app.ts';
import { auditEventFromRow } from '../data/conversions/audit-event.ts';
import { projectFromRow } from '../data/conversions/project.ts';
import { tokenFromRow } from '../data/conversions/token.ts';
import { walletFromRow } from '../data/conversions/wallet.ts';
import type { Account } from '../model/account.ts';
import type { App } from '../model/app.ts';
import type { AuditEvent } from '../model/audit-event.ts';
import { parseFields, resourceNameValidator } from '../model/fields/fields.ts';
import { NETWORKS } from '../model/network.ts';
import type { Project } from '../model/project.ts';
import { idOf, type Ulid } from '../model/resource-name.ts';
import type { Token } from '../model/token.ts';
import type { Wallet } from '../model/wallet.ts';
import { rowMeter } from '../storage/jobs/bulk-rows.ts';
import { findAccount } from '../storage/tables/accounts.ts';
import { ADDRESS_LIST, type AddressRow } from '../storage/tables/addresses.ts';
import { APP_LIST } from '../storage/tables/apps.ts';
import { EVENT_LIST } from '../storage/tables/audit-events.ts';
import { PROJECT_LIST } from '../storage/tables/projects.ts';
import { TOKEN_LIST } from '../storage/tables/tokens.ts';
import { WALLET_LIST } from '../storage/tables/wallets.ts';
import type { OnProgress } from '../storage/work/progress.ts';

export type ExportedRecord =
  | { readonly type: 'account'; readonly account: Account }
  | { readonly type: 'project'; readonly project: Project }
  | { readonly type: 'app'; readonly app: App }
  | { readonly type: 'wallet'; readonly wallet: Wallet }
  | { readonly type: 'address'; readonly address: Pick<AddressRow, 'network' | 'address'> }
  | { readonly type: 'token'; readonly token: Token }
  | { readonly type: 'event'; readonly event: AuditEvent };

// The list of events begins with the newest.
const OLDEST_FIRST = { direction: 'backward', position: undefined } as const;

/**
 * Returns everything of an account, without secrets and their hashes: the account, and all its projects, apps, wallets,
 * addresses that are left, valid tokens and audit events. The lists are read in batches. The export is not a snapshot: a change that is made
 * during it may be missing.
 */
export async function* exportAccount(
  operator: OperatorContext,
  input: UntrustedInput,
  onProgress?: OnProgress,
): AsyncGenerator<ExportedRecord> {
  const { name } = parseFields(input, { name: resourceNameValidator('accounts') });
  const account = await findAccount(operator.database, idOf(name));
  if (account === undefined) throw notFound('operator', name);
  yield { type: 'account', account: accountFromRow(account) };
  // Tokens that have expired are not exported.
  const without = ['account', 'address_pool', 'idempotency_key', 'token'] as const;
  const onExported = await rowMeter(operator.database, { accountId: account.id, without, onProgress });
  for await (const record of recordsOf(operator, account.id)) {
    yield record;
    if (record.type !== 'token') onExported(1);
  }
}

async function* recordsOf(
  { database, clock, publicUrl }: OperatorContext,
  id: Ulid,
): AsyncGenerator<ExportedRecord> {
  const now = clock();
  const ofAccount = { values: [id] };
  for await (const row of PROJECT_LIST.readAll(database, ofAccount)) {
    yield { type: 'project', project: projectFromRow(row, publicUrl()) };
  }
  for await (const row of APP_LIST.readAll(database, ofAccount)) {
    yield { type: 'app', app: appFromRow(row, now) };
  }
  for await (const row of WALLET_LIST.readAll(database, ofAccount)) {
    yield { type: 'wallet', wallet: walletFromRow(row) };
  }
  for (const network of NETWORKS) {
    for await (const row of ADDRESS_LIST.readAll(database, { values: [id, network] })) {
      yield { type: 'address', address: row };
    }
  }
  for await (const row of TOKEN_LIST.readAll(database, { values: [id, now] })) {
    yield { type: 'token', token: tokenFromRow(row) };
  }
  for await (const row of EVENT_LIST.readAll(database, ofAccount, OLDEST_FIRST)) {
    yield { type: 'event', event: auditEventFromRow(row) };
  }
}
