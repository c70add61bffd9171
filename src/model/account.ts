import type { ResourceName } from './resource-name.ts';

/**
 * The state of an account. The tokens of an account that is not `ACTIVE` are refused. An account that is `DELETING`, or
 * `RESTORING`, remains in this state until all its rows are deleted, or are there.
 */
export type AccountState = 'ACTIVE' | 'SUSPENDED' | 'DELETING' | 'RESTORING';

/** An account, which owns projects, apps and wallets. */
export type Account = {
  readonly name: ResourceName<'accounts'>;
  readonly title: string;
  readonly defaultProject: ResourceName<'projects'>;
  readonly state: AccountState;
  readonly createTimeMs: number;
};
