import { headerConditions, ifMatch } from '../etag.ts';
import {
  address,
  boolean,
  description,
  integer,
  network,
  nullable,
  optional,
  password,
  privateKey,
  resourceNameValidator,
  title,
  tokenId,
} from './fields.ts';

export const createProjectFields = { title, description: nullable(description) };

export const updateProjectFields = {
  name: resourceNameValidator('projects'),
  title: optional(title),
  description: optional(description),
};

export const createAppFields = {
  title,
  active: boolean,
  project: nullable(resourceNameValidator('projects')),
};

export const signInFields = { name: resourceNameValidator('apps'), privateKey };

export const updateAppFields = {
  name: resourceNameValidator('apps'),
  title: optional(title),
  active: optional(boolean),
  ifMatch: optional(ifMatch),
};

export const deleteAppFields = { name: resourceNameValidator('apps') };

/** The validators of the input fields of `rotateAppKey`. The grace period is in seconds, 0 to 7 days. */
export const rotateAppKeyFields = {
  name: resourceNameValidator('apps'),
  gracePeriod: nullable(integer(0, 7 * 86_400)),
};

export const revokeTokenFields = { id: tokenId };

export const createWalletFields = {
  project: resourceNameValidator('projects'),
  title,
  description: optional(description),
  network,
  address,
};

export const updateWalletFields = {
  name: resourceNameValidator('wallets'),
  title: optional(title),
  description: optional(description),
  project: optional(resourceNameValidator('projects')),
  network: optional(network),
  password: optional(password),
  ifMatch: optional(ifMatch),
};

/** The fields of an update of a wallet, with the conditions that only REST has. */
export const conditionalUpdateWalletFields = { ...updateWalletFields, ...headerConditions };
