import { onlyProjectOf } from '../../model/caller.ts';
import { invalidFields } from '../../model/errors.ts';
import { addressInAnyCase, parseFields, resourceNameValidator } from '../../model/fields/fields.ts';
import type { ConnectionPage, FilteredArguments } from '../../model/lists/list-page.ts';
import { idOf, type ResourceName, type Ulid } from '../../model/resource-name.ts';
import type { Wallet } from '../../model/wallet.ts';
import {
  WALLET_LIST,
  WALLET_LIST_AT_ADDRESS,
  WALLET_LIST_BY_REFERENCE,
  WALLET_LIST_BY_TITLE,
} from '../../storage/tables/wallets.ts';
import { requireAccountOfProject } from '../access/account-of.ts';
import { visibleIds } from '../access/visibility.ts';
import { begin, type Call, type OperatorContext, type Rules, type UntrustedInput } from '../call/call.ts';
import { walletFromRow } from '../conversions/wallet.ts';
import { ofAccount } from '../lists/list-filters.ts';
import { readList, readLists } from '../lists/read-list.ts';

const LISTS = { all: WALLET_LIST, byTitle: WALLET_LIST_BY_TITLE, byReference: WALLET_LIST_BY_REFERENCE };

type WalletFilters = FilteredArguments & { readonly archived?: unknown };

listWalletsOfProjects.rules = { caller: 'any', changes: false } as const satisfies Rules;

/**
 * Returns the same page of the wallets of several projects. See `listAppsOfProjects`.
 *
 * @param input the arguments of a connection, and optionally `title` and `archived`
 */
export async function listWalletsOfProjects(
  call: Call,
  projects: readonly ResourceName<'projects'>[],
  { title, archived, ...input }: WalletFilters,
): Promise<readonly ConnectionPage<Wallet>[]> {
  const { database } = begin(call, listWalletsOfProjects.rules);
  const { caller } = call;
  const source = {
    ...inState(caller.principal.accountId, title, archived),
    parts: visibleIds(caller, projects),
    toItem: walletFromRow,
  };
  return readLists(database, source, input);
}

searchWallets.rules = { caller: 'any', changes: false } as const satisfies Rules;

/**
 * Returns one page of the wallets with an address, with the start of a title or with a reference that are visible to the
 * caller, in the order of their names.
 *
 * @param input the arguments of a connection, and one of `address`, in any case, `reference`, and `title` with `archived` or not
 */
export async function searchWallets(
  call: Call,
  { address, title, reference, archived, ...input }: WalletFilters & { readonly address?: unknown },
): Promise<ConnectionPage<Wallet>> {
  const { database } = begin(call, searchWallets.rules);
  const { caller } = call;
  const sent = Object.entries({ reference, title, address }).filter(([, value]) => value != null);
  if (sent.length !== 1) {
    const field = sent[0]?.[0] ?? 'address';
    throw invalidFields([{ field, description: 'Use one of address, title and reference.' }]);
  }
  if (title == null && archived != null) {
    const description =
      'Use archived with title. Without it, wallets are found whether they are archived or not.';
    throw invalidFields([{ field: 'archived', description }]);
  }
  const { accountId } = caller.principal;
  const projectId = onlyProjectOf(caller);
  const source = {
    ...(title == null ? inBothStates(accountId, address, reference) : inState(accountId, title, archived)),
    parts: projectId && [projectId],
    toItem: walletFromRow,
  };
  return readList(database, source, input);
}

/** Returns the source of the wallets that are archived if `archived` is true, and otherwise of those that are not. */
function inState(accountId: Ulid, title: unknown, archived: unknown) {
  if (archived !== true) return ofAccount(LISTS, accountId, { title }, [0]);
  const source = ofAccount(LISTS, accountId, { title }, [1]);
  return { ...source, filter: `archived ${source.filter ?? ''}` };
}

/** Returns the source of the wallets with a reference or an address, archived or not. */
function inBothStates(accountId: Ulid, searched: unknown, reference: unknown) {
  if (reference != null) return ofAccount(LISTS, accountId, { reference });
  const { address } = parseFields({ address: searched }, { address: addressInAnyCase });
  return { list: WALLET_LIST_AT_ADDRESS, values: [accountId, address], filter: `address ${address}` };
}

/** Returns one page of the wallets of a project of any account, in the order of their names. */
export async function listWallets(
  { database }: OperatorContext,
  { archived, ...input }: UntrustedInput,
): Promise<ConnectionPage<Wallet>> {
  const { project } = parseFields(input, { project: resourceNameValidator('projects') });
  const accountId = await requireAccountOfProject(database, project);
  const wallets = inState(accountId, undefined, archived);
  return readList(database, { ...wallets, parts: [idOf(project)], toItem: walletFromRow }, input);
}
