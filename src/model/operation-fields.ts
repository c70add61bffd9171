import {
  boolean,
  description,
  network,
  nullable,
  optional,
  password,
  privateKey,
  resourceNameValidator,
  title,
} from './fields.ts';

/** The fields that an app is created from. */
export const createAppFields = {
  title,
  active: boolean,
  project: nullable(resourceNameValidator('projects')),
};

/** The fields that an app signs in with. */
export const signInFields = { name: resourceNameValidator('apps'), privateKey };

/** The wallet that is updated, and those of its fields that a client may change. */
export const updateWalletFields = {
  name: resourceNameValidator('wallets'),
  title: optional(title),
  description: optional(description),
  project: optional(resourceNameValidator('projects')),
  network: optional(network),
  password: optional(password),
};
