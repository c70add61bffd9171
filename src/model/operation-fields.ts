import {
  boolean,
  description,
  nameIn,
  network,
  nullable,
  optional,
  password,
  privateKey,
  title,
} from './fields.ts';

/** The fields that an app is created from. */
export const createAppFields = { title, active: boolean, project: nullable(nameIn('projects')) };

/** The fields that an app signs in with. */
export const signInFields = { name: nameIn('apps'), privateKey };

/** The wallet that is updated, and those of its fields that a client may change. */
export const updateWalletFields = {
  name: nameIn('wallets'),
  title: optional(title),
  description: optional(description),
  project: optional(nameIn('projects')),
  network: optional(network),
  password: optional(password),
};
