import type { ProjectPage, SignInResult } from '../data/data-layer.ts';
import type { App } from '../model/app.ts';
import type { Project } from '../model/project.ts';
import type { Wallet } from '../model/wallet.ts';

/** An app with the fields of the specification and no others. */
export function appView({ name, title, privateKey, active }: App) {
  return { name, title, privateKey, active };
}

/** What a sign-in gives, with the fields of the specification and no others. */
export function signInView({ accessToken, app }: Pick<SignInResult, 'accessToken' | 'app'>) {
  return { accessToken, app: appView(app) };
}

/** A wallet with the fields of the specification and no others. */
export function walletView({ name, title, description, project, network, address }: Wallet) {
  return { name, title, description, project, network, address, password: '' };
}

/** A project with the fields of the specification and no others. */
export function projectView({ name, title, description, imageCoverUrl, imageCoverCid }: Project) {
  return { name, title, description, imageCoverUrl, imageCoverCid };
}

/** A page of projects, and the token of the next one. */
export function pageView({ items, hasMore, cursorAt }: Pick<ProjectPage, 'items' | 'hasMore' | 'cursorAt'>) {
  return { projects: items.map(projectView), nextPageToken: hasMore ? cursorAt(items.length - 1) : '' };
}
