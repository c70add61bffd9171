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
import { readList, readLists } from '../lists/read-list.ts';
import { ofAccount } from '../lists/title-filter.ts';

const LISTS = { all: WALLET_LIST, byTitle: WALLET_LIST_BY_TITLE, byReference: WALLET_LIST_BY_REFERENCE };

listWalletsOfProjects.rules = { caller: 'any', changes: false } as const satisfies Rules;

/**
 * Returns the same page of the wallets of several projects. See `listAppsOfProjects`.
 *
 * @param input the arguments of a connection, and optionally `title`
 */
export async function listWalletsOfProjects(
  call: Call,
  projects: readonly ResourceName<'projects'>[],
  { title, ...input }: FilteredArguments,
): Promise<readonly ConnectionPage<Wallet>[]> {
  const { database } = begin(call, listWalletsOfProjects.rules);
  const { caller } = call;
  const source = {
    ...ofAccount(LISTS, caller.principal.accountId, { title }),
    parts: visibleIds(caller, projects),
    toItem: walletFromRow,
  };
  return readLists(database, source, input);
}

searchWallets.rules = { caller: 'any', changes: false } as const satisfies Rules;

/**
 * Returns one page of the wallets with an address, with the beginning of a title or with a reference that are visible to the
 * caller, in the order of their names.
 *
 * @param input the arguments of a connection, and one of `address`, in any case, `title` and `reference`
 */
export async function searchWallets(
  call: Call,
  { address, title, reference, ...input }: FilteredArguments & { readonly address?: unknown },
): Promise<ConnectionPage<Wallet>> {
  const { database } = begin(call, searchWallets.rules);
  const { caller } = call;
  const sent = Object.entries({ reference, title, address }).filter(([, value]) => value != null);
  if (sent.length !== 1) {
    const field = sent[0]?.[0] ?? 'address';
    throw invalidFields([{ field, description: 'Use one of address, title and reference.' }]);
  }
  const { accountId } = caller.principal;
  const projectId = onlyProjectOf(caller);
  const source = {
    ...(address == null ? ofAccount(LISTS, accountId, { title, reference }) : atAddress(accountId, address)),
    parts: projectId && [projectId],
    toItem: walletFromRow,
  };
  return readList(database, source, input);
}

function atAddress(accountId: Ulid, searched: unknown) {
  const { address } = parseFields({ address: searched }, { address: addressInAnyCase });
  return { list: WALLET_LIST_AT_ADDRESS, values: [accountId, address], filter: `address ${address}` };
}

/** Returns one page of the wallets of a project of any account, in the order of their names. */
export async function listWallets(
  { database }: OperatorContext,
  input: UntrustedInput,
): Promise<ConnectionPage<Wallet>> {
  const { project } = parseFields(input, { project: resourceNameValidator('projects') });
  const accountId = await requireAccountOfProject(database, project);
  const source = { list: WALLET_LIST, values: [accountId], parts: [idOf(project)], toItem: walletFromRow };
  return readList(database, source, input);
}
