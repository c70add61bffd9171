import {
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

/** The validators of the input fields of `createApp`. */
export const createAppFields = {
  title,
  active: boolean,
  project: nullable(resourceNameValidator('projects')),
};

/** The validators of the input fields of `signIn`. */
export const signInFields = { name: resourceNameValidator('apps'), privateKey };

/** The validators of the input fields of `updateApp`: the name of the app, and the fields that a client can change. */
export const updateAppFields = {
  name: resourceNameValidator('apps'),
  title: optional(title),
  active: optional(boolean),
};

/** The validators of the input fields of `rotateAppKey`. The grace period is in seconds, 0 to 7 days. */
export const rotateAppKeyFields = {
  name: resourceNameValidator('apps'),
  gracePeriod: nullable(integer(0, 7 * 86_400)),
};

/** The validators of the input fields of `revokeToken`. */
export const revokeTokenFields = { id: tokenId };

/** The validators of the input fields of `updateWallet`: the name of the wallet, and the fields that a client can change. */
export const updateWalletFields = {
  name: resourceNameValidator('wallets'),
  title: optional(title),
  description: optional(description),
  project: optional(resourceNameValidator('projects')),
  network: optional(network),
  password: optional(password),
};
