import type { App } from '../model/app.ts';
import { coverImagePath, type Project } from '../model/project.ts';
import { resourceName } from '../model/resource-name.ts';
import type { Wallet } from '../model/wallet.ts';
import type { AppRow } from '../storage/apps.ts';
import type { ProjectItem } from '../storage/projects.ts';
import type { WalletRow } from '../storage/wallets.ts';

/** The project of a row. @param publicUrl the URL that clients reach the gateway at */
export function projectFromRow(row: ProjectItem, publicUrl: string): Project {
  const name = resourceName('projects', row.id);
  return {
    id: name,
    name,
    title: row.title,
    description: row.description,
    imageCoverUrl: publicUrl + coverImagePath(name),
    imageCoverCid: row.image_cover_cid,
    createTimeMs: row.create_time_ms,
  };
}

/** The app of a row. @param privateKey its private key, if this is the answer to its creation */
export function appFromRow(row: AppRow, privateKey = ''): App {
  const name = resourceName('apps', row.id);
  return {
    id: name,
    name,
    title: row.title,
    privateKey,
    active: row.active === 1,
    project: resourceName('projects', row.project_id),
    createTimeMs: row.create_time_ms,
  };
}

/** The wallet of a row. */
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
    createTimeMs: row.create_time_ms,
    updateTimeMs: row.update_time_ms,
  };
}
