import { decodeTime } from 'ulid';
import { lockAccount, requireAccount } from '../data/access/account-of.ts';
import { recordAct } from '../data/audit/audit.ts';
import type { OperatorContext, UntrustedInput } from '../data/call/call.ts';
import type { Address } from '../model/address.ts';
import { type FieldViolation, invalidFields, MAX_VIOLATIONS, unusableResource } from '../model/errors.ts';
import {
  address,
  network,
  type Parsed,
  parseFields,
  resourceNameValidator,
  ValidationError,
} from '../model/fields/fields.ts';
import { idGenerator, type Ulid } from '../model/resource-name.ts';
import { MAX_WALLETS } from '../model/wallet.ts';
import type { Queryable } from '../storage/interface/database.ts';
import { forEachBatch } from '../storage/jobs/bulk-rows.ts';
import {
  type AddressPool,
  countWalletsAndAddresses,
  deleteAddresses,
  deleteEmptyPool,
  findLastIds,
  findLeft,
  findUsed,
  giveAdded,
  insertAddresses,
} from '../storage/jobs/supplied-addresses.ts';
import { deleteFromPool } from './delete-addresses.ts';

/** The validators of the input of the operations on the addresses that an account has left for a network. */
export const POOL_INPUT = { account: resourceNameValidator('accounts'), network };

/** Addresses, each with the number of its line. */
type Lines = ReadonlyMap<Address, number>;

type Supplied = Parsed<typeof POOL_INPUT> & { readonly count: number };

/**
 * Adds addresses, one a line, for new wallets of an account on a network, in batches. Wallets get them in the order of their
 * addition, and none of them before the last batch. After an interruption, a second call begins anew.
 *
 * @throws INVALID_ARGUMENT for each line at fault, if there is no address, and for the field `account` if it would have more
 *   than `MAX_WALLETS` wallets and addresses; nothing is changed
 */
export async function addAddresses(
  operator: OperatorContext,
  input: UntrustedInput,
  lines: AsyncIterable<string | undefined>,
): Promise<Supplied> {
  const { account, network, byAddress, pool } = await readInput(operator, input, lines);
  const { database } = operator;
  const { accountId } = pool;
  const assertUnused = async (target: Queryable, addresses: Iterable<Address>) =>
    assertNone(
      await findUsed(target, pool, addresses),
      byAddress,
      'no wallet uses and that was not already added',
    );
  await assertUnused(database, byAddress.keys());
  const count = byAddress.size;
  if ((await countWalletsAndAddresses(database, accountId)) + count > MAX_WALLETS) {
    const description = `Must have at most ${MAX_WALLETS} wallets and unused addresses in total.`;
    throw invalidFields([{ field: 'account', description }]);
  }

  const { last_id: before } = await findLastIds(database, pool);
  await deleteFromPool(database, pool, 'being added');
  // Even if the clock of the last addition was ahead.
  const newId = idGenerator(() => Math.max(operator.clock(), before === '' ? 0 : decodeTime(before) + 1));
  let lastId: Ulid | undefined;
  const added = [...byAddress.keys()].map((each) => {
    const previousId = lastId;
    lastId = newId();
    return { address: each, id: lastId, previousId };
  });
  try {
    await forEachBatch(database, added, async (transaction, batch) => {
      await assertAlone(transaction, pool, { last_id: before, last_added: batch[0]?.previousId });
      const addresses = batch.map((each) => each.address);
      await assertUnused(transaction, addresses);
      assertNone(await insertAddresses(transaction, pool, batch), byAddress, 'is added once');
    });
    await database.transaction(async (transaction) => {
      await assertAlone(transaction, pool, { last_id: before, last_added: lastId });
      await giveAdded(transaction, pool, lastId);
      const act = { action: 'address.add', resource: account, fields: [network], count } as const;
      await recordAct(transaction, operator, { accountId, ...act });
    });
  } catch (error) {
    await deleteFromPool(database, pool, 'being added').catch(() => {});
    throw error;
  }
  return { account, network, count };
}

/**
 * Deletes addresses, one a line, that are left for new wallets of an account on a network, in batches. After the deletion of the
 * last one, the metric of addresses no longer counts the account.
 *
 * @throws INVALID_ARGUMENT for each line at fault, and if there is no address; nothing is changed
 */
export async function deleteListedAddresses(
  operator: OperatorContext,
  input: UntrustedInput,
  lines: AsyncIterable<string | undefined>,
): Promise<Supplied> {
  const { account, network, byAddress, pool } = await readInput(operator, input, lines);
  const { database } = operator;
  const { accountId } = pool;
  const assertLeft = (left: ReadonlySet<Address>, addresses: Iterable<Address>) =>
    assertNone(
      new Set([...addresses].filter((each) => !left.has(each))),
      byAddress,
      'is unused on the network',
    );
  assertLeft(await findLeft(database, pool, byAddress.keys()), byAddress.keys());
  await forEachBatch(database, [...byAddress.keys()], async (transaction, batch) => {
    await lockAccount(transaction, accountId);
    assertLeft(await findLeft(transaction, pool, batch), batch);
    await deleteAddresses(transaction, accountId, batch);
    const act = { action: 'address.delete', resource: account, fields: [network] } as const;
    await recordAct(transaction, operator, { accountId, ...act, count: batch.length });
  });
  await database.transaction((transaction) => deleteEmptyPool(transaction, pool));
  return { account, network, count: byAddress.size };
}

/** Reads the input and the lines of an operation, and finds the account. */
async function readInput(
  { database }: Pick<OperatorContext, 'database'>,
  input: UntrustedInput,
  lines: AsyncIterable<string | undefined>,
) {
  const { account, network } = parseFields(input, POOL_INPUT);
  const byAddress = await readAddresses(lines);
  const { id: accountId } = await requireAccount(database, account);
  return { account, network, byAddress, pool: { accountId, network } };
}

/**
 * Locks the account, and checks the last ids of a pool: they differ if a concurrent process adds or deletes addresses.
 *
 * @throws INVALID_ARGUMENT for the field `account` if they do
 */
async function assertAlone(
  transaction: Queryable,
  pool: AddressPool,
  { last_id, last_added }: { readonly last_id: string; readonly last_added: string | undefined },
): Promise<void> {
  await lockAccount(transaction, pool.accountId);
  const found = await findLastIds(transaction, pool);
  if (found.last_id === last_id && found.last_added === (last_added ?? null)) return;
  const description =
    'Must have its addresses changed by one command at a time. Nothing was added. Run the command again.';
  throw unusableResource('account', description);
}

/** @throws INVALID_ARGUMENT for the line of each address at fault */
function assertNone(wrong: ReadonlySet<Address>, byAddress: Lines, wanted: string): void {
  if (wrong.size === 0) return;
  const description = `Must be an address that ${wanted}.`;
  const lines = [...byAddress].filter(([each]) => wrong.has(each));
  throw invalidFields(lines.map(([each, line]) => ({ field: `line ${line}: ${each}`, description })));
}

/** Returns the addresses in lines. Undefined is a line that is not text, or too long. */
async function readAddresses(lines: AsyncIterable<string | undefined>): Promise<Lines> {
  const byAddress = new Map<Address, number>();
  const violations: FieldViolation[] = [];
  let line = 0;
  for await (const text of lines) {
    line += 1;
    if (text?.trim() === '') continue;
    try {
      const parsed = address(text?.trim());
      const other = byAddress.get(parsed);
      if (other !== undefined) throw new ValidationError(`Must not repeat line ${other}.`);
      byAddress.set(parsed, line);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      violations.push({ field: `line ${line}`, description: error.message });
    }
    if (byAddress.size > MAX_WALLETS || violations.length > MAX_VIOLATIONS) break;
  }
  if (violations.length > 0) throw invalidFields(violations);
  if (byAddress.size === 0) throw invalidFields([{ field: 'file', description: 'Must have an address.' }]);
  return byAddress;
}
