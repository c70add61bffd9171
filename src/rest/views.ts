import type { App } from '../model/app.ts';
import type { Project } from '../model/project.ts';
import type { Wallet } from '../model/wallet.ts';

/** An app with the fields of the specification and no others. */
export function appView({ name, title, privateKey, active }: App) {
  return { name, title, privateKey, active };
}

/** A project with the fields of the specification and no others. */
export function projectView({ name, title, description, imageCoverUrl, imageCoverCid }: Project) {
  return { name, title, description, imageCoverUrl, imageCoverCid };
}

/** A wallet with the fields of the specification and no others. */
export function walletView({ name, title, description, project, network, address }: Wallet) {
  return { name, title, description, project, network, address, password: '' };
}
