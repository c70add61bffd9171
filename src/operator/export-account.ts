import { notFound } from '../data/access/visibility.ts';
import type { OperatorContext, UntrustedInput } from '../data/call/call.ts';
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
import { WALLET_LIST_OF_ALL } from '../storage/tables/wallets.ts';
import type { OnProgress } from '../storage/work/progress.ts';

type Resources = {
  readonly account: Account;
  readonly project: Project;
  readonly app: App;
  readonly wallet: Wallet;
  readonly address: Pick<AddressRow, 'network' | 'address'>;
  readonly token: Token;
  readonly event: AuditEvent;
};

type Exported<T extends keyof Resources> = { readonly type: T; readonly resource: Resources[T] };

export type ExportedRecord = { [T in keyof Resources]: Exported<T> }[keyof Resources];

// The list of events begins with the newest.
const OLDEST_FIRST = { direction: 'backward', position: undefined } as const;

/**
 * Returns everything of an account, without secrets and their hashes: the account, and all its projects, apps, wallets,
 * addresses that are left, valid tokens and audit events. The lists are read in batches. The export is not a snapshot: a
 * change during it may be missing.
 */
export async function* exportAccount(
  operator: OperatorContext,
  input: UntrustedInput,
  onProgress?: OnProgress,
): AsyncGenerator<ExportedRecord> {
  const { name } = parseFields(input, { name: resourceNameValidator('accounts') });
  const account = await findAccount(operator.database, idOf(name));
  if (account === undefined) throw notFound('operator', name);
  yield { type: 'account', resource: accountFromRow(account) };
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
  const url = publicUrl();
  const ofAccount = { values: [id] };
  yield* records('project', PROJECT_LIST.readAll(database, ofAccount), (row) => projectFromRow(row, url));
  yield* records('app', APP_LIST.readAll(database, ofAccount), (row) => appFromRow(row, now));
  yield* records('wallet', WALLET_LIST_OF_ALL.readAll(database, ofAccount), walletFromRow);
  for (const network of NETWORKS) {
    const left = ADDRESS_LIST.readAll(database, { values: [id, network] });
    yield* records('address', left, ({ network, address }) => ({ network, address }));
  }
  yield* records('token', TOKEN_LIST.readAll(database, { values: [id, now] }), tokenFromRow);
  yield* records('event', EVENT_LIST.readAll(database, ofAccount, OLDEST_FIRST), auditEventFromRow);
}

async function* records<T extends keyof Resources, Row>(
  type: T,
  rows: AsyncIterable<Row>,
  toResource: (row: Row) => Resources[T],
): AsyncGenerator<Exported<T>> {
  for await (const row of rows) yield { type, resource: toResource(row) };
}
