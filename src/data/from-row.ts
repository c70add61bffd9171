import type { App } from '../model/app.ts';
import { coverImagePath, type Project } from '../model/project.ts';
import { resourceName } from '../model/resource-name.ts';
import type { Wallet } from '../model/wallet.ts';
import type { AppRow } from '../storage/apps.ts';
import type { ProjectRow } from '../storage/projects.ts';
import type { WalletRow } from '../storage/wallets.ts';

// SQLite gives the very row again for as long as nothing has been written.
const projects = new WeakMap<ProjectRow, Project>();

/** The project of a row. @param publicUrl the URL that clients reach the gateway at, the same for all rows of a database */
export function projectFromRow(row: ProjectRow, publicUrl: string): Project {
  let project = projects.get(row);
  if (project === undefined) {
    const name = resourceName('projects', row.id);
    project = {
      name,
      title: row.title,
      description: row.description,
      imageCoverUrl: publicUrl + coverImagePath(name),
      imageCoverCid: row.image_cover_cid,
      createTimeMs: row.create_time_ms,
    };
    projects.set(row, project);
  }
  return project;
}

/** The app of a row. @param privateKey its private key, if this is the answer to its creation */
export function appFromRow(row: AppRow, privateKey = ''): App {
  return {
    name: resourceName('apps', row.id),
    title: row.title,
    privateKey,
    active: row.active === 1,
    project: resourceName('projects', row.project_id),
    createTimeMs: row.create_time_ms,
  };
}

/** The wallet of a row. */
export function walletFromRow(row: WalletRow): Wallet {
  return {
    name: resourceName('wallets', row.id),
    title: row.title,
    description: row.description,
    project: resourceName('projects', row.project_id),
    network: row.network,
    address: row.address,
    createTimeMs: row.create_time_ms,
    updateTimeMs: row.update_time_ms,
  };
}
