import type { Address } from '../../model/address.ts';
import type { Network } from '../../model/network.ts';
import { idOf, type ResourceName, resourceName, type Ulid } from '../../model/resource-name.ts';
import { titleKey } from '../../model/title-key.ts';
import type { NewProjectRow } from '../../storage/projects.ts';
import type { NewWalletRow } from '../../storage/wallets.ts';
import type { AdminContext } from '../operation/dependencies.ts';

type Context = Pick<AdminContext, 'clock' | 'newId'>;

/** A new project: without a name, it gets a new one. The time is in Unix milliseconds, by default the current one. */
type NewProject = {
  readonly name?: ResourceName<'projects'> | undefined;
  readonly title: string;
  readonly description?: string | undefined;
  readonly createTime?: number | undefined;
};

/** A new wallet, as a new project. The time of its last update is by default that of its creation. */
type NewWallet = Omit<NewProject, 'name'> & {
  readonly name?: ResourceName<'wallets'> | undefined;
  readonly project: ResourceName<'projects'>;
  readonly network: Network;
  readonly address: Address;
  readonly updateTime?: number | undefined;
};

/** Returns a function that makes the rows of new projects of an account, for a creation and for an import. */
export async function projectRows({ clock, newId }: Context, accountId: Ulid) {
  // Imported on demand: the server starts faster without it.
  const { coverImage, coverImageCid } = await import('../../model/cover-image.ts');
  return (project: NewProject): NewProjectRow => {
    const { name = resourceName('projects', newId()), title, description = '' } = project;
    return {
      account_id: accountId,
      id: idOf(name),
      title,
      title_key: titleKey(title),
      description,
      image_cover_cid: coverImageCid(coverImage(name)),
      create_time_ms: project.createTime ?? clock(),
    };
  };
}

/** Returns the row of a new wallet of an account, for a creation and for an import. */
export function newWalletRow(
  { clock, newId }: Context,
  accountId: Ulid,
  { name, project, title, description = '', network, address, createTime = clock(), updateTime }: NewWallet,
): NewWalletRow {
  return {
    account_id: accountId,
    id: name === undefined ? newId() : idOf(name),
    project_id: idOf(project),
    title,
    title_key: titleKey(title),
    description,
    network,
    address,
    create_time_ms: createTime,
    update_time_ms: updateTime ?? createTime,
    revision: newId(),
  };
}
