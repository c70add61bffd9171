import type { AuditAction } from '../../src/model/audit-event.ts';

/** What each action of an event did, in words. An action that is left out is an error of the type checker. */
export const ACTIONS: Readonly<Record<AuditAction, string>> = {
  'account.create': 'Account created',
  'account.suspend': 'Account suspended',
  'account.resume': 'Account resumed',
  'account.delete': 'Account deleted',
  'project.create': 'Project created',
  'project.update': 'Project updated',
  'project.delete': 'Project deleted',
  'wallet.create': 'Wallet created',
  'wallet.update': 'Wallet updated',
  'wallet.archive': 'Wallet archived',
  'wallet.unarchive': 'Wallet brought back',
  'wallet.delete': 'Wallet deleted',
  'wallet.refuse': 'Wallet refused',
  'address.add': 'Addresses added',
  'address.delete': 'Addresses deleted',
  'app.create': 'App created',
  'app.update': 'App updated',
  'app.activate': 'App activated',
  'app.deactivate': 'App deactivated',
  'app.rotate_key': 'App got a new key',
  'app.delete': 'App deleted',
  'token.create': 'Token created',
  'token.revoke': 'Token ended',
  'sign_in.succeed': 'Signed in',
  'sign_in.fail': 'Sign-in failed',
  'sign_in.undo': 'Sign-in undone',
  sign_out: 'Signed out',
};

const ACTION_TEXTS: ReadonlyMap<string, string> = new Map(Object.entries(ACTIONS));

/** Returns an action in words, or one of a newer gateway as it is. */
export function actionText(action: string): string {
  return ACTION_TEXTS.get(action) ?? action;
}

/** What is counted: the plural, and the singular. */
const NOUNS = {
  projects: 'project',
  wallets: 'wallet',
  apps: 'app',
  'valid tokens': 'valid token',
  events: 'event',
} as const;

export type Noun = keyof typeof NOUNS;

// The API counts no further.
const MAX_COUNT = 1000;

/** Returns the total count of a list in words. A list with exactly this number says it, too. */
export function countText(count: number): string {
  return `${count.toLocaleString('en')}${count === MAX_COUNT ? ' or more' : ''}`;
}

/** Returns the total count of a list with its noun, such as `1 wallet` or `1,000 or more wallets`. */
export function counted(count: number, noun: Noun): string {
  return `${countText(count)} ${count === 1 ? NOUNS[noun] : noun}`;
}
