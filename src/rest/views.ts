import type { ProjectPage, SignInResult } from '../data/data-layer.ts';
import type { App } from '../model/app.ts';
import { nextPageToken } from '../model/page.ts';
import type { Project } from '../model/project.ts';
import type { Wallet } from '../model/wallet.ts';
import type { components } from './openapi-types.ts';

type Schemas = components['schemas'];

/** Returns the fields of an app that the specification defines. */
export function appView({ name, title, privateKey, active }: App): Schemas['App'] {
  return { name, title, privateKey, active };
}

/** Returns the fields of the result of a sign-in that the specification defines. */
export function signInView({
  accessToken,
  app,
}: Pick<SignInResult, 'accessToken' | 'app'>): Schemas['ProjectToken'] {
  return { accessToken, app: appView(app) };
}

/** Returns the fields of a wallet that the specification defines. */
export function walletView({
  name,
  title,
  description,
  project,
  network,
  address,
}: Wallet): Schemas['Wallet'] {
  return { name, title, description, project, network, address, password: '' };
}

/** Returns the fields of a project that the specification defines. */
export function projectView({
  name,
  title,
  description,
  imageCoverUrl,
  imageCoverCid,
}: Project): Schemas['Project'] {
  return { name, title, description, imageCoverUrl, imageCoverCid };
}

/** Returns a page of projects with the token of the next page, which is empty on the last page. */
export function pageView(page: Pick<ProjectPage, 'items' | 'hasMore' | 'cursorAt'>): Schemas['ProjectPage'] {
  return { projects: page.items.map(projectView), nextPageToken: nextPageToken(page) };
}
