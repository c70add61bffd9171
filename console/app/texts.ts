import type { AuditAction } from '../../src/model/audit-event.ts';

/** The actions of events, in words. An action that is left out is an error of the type checker. */
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
  'wallet.unarchive': 'Wallet unarchived',
  'wallet.delete': 'Wallet deleted',
  'wallet.refuse': 'Wallet not created: no address left',
  'address.add': 'Addresses added',
  'address.delete': 'Addresses deleted',
  'app.create': 'App created',
  'app.update': 'App updated',
  'app.activate': 'App activated',
  'app.deactivate': 'App deactivated',
  'app.rotate_key': 'App key rotated',
  'app.delete': 'App deleted',
  'token.create': 'Token created',
  'token.revoke': 'Token revoked',
  'sign_in.succeed': 'Signed in',
  'sign_in.fail': 'Sign-in failed',
  'sign_in.undo': 'Sign-in rolled back',
  sign_out: 'Signed out',
};

const ACTION_TEXTS: ReadonlyMap<string, string> = new Map(Object.entries(ACTIONS));

/** Returns an action in words, or one of a newer gateway as it is. */
export function actionText(action: string): string {
  return ACTION_TEXTS.get(action) ?? action;
}

/** Returns a title in quotation marks. Its characters that turn the direction of text have no effect after it. */
export function quoted(title: string): string {
  return `“${/\p{Bidi_C}/u.test(title) ? `\u2068${title}\u2069` : title}”`;
}

/** Words of the screens that the tests look for. */
export const TEXTS = {
  access: 'Access',
  appliedOnce: 'You can safely submit again: the change is applied only once.',
  alreadySubmitted:
    'Your first submission already went through. To see its result, submit the same values again, or close this form.',
  asksAgain: 'your current token, so the console then asks for another one.',
  backToProjects: 'Back to projects',
  changedByOthers: 'Someone else changed',
  chooseExpiry: 'Choose when the old key expires.',
  enterToken: 'Enter your token',
  expires: 'Expires',
  forget: 'Remove from browser',
  immediately: 'Immediately',
  /** The text before the name of the account, and after it. */
  keepPlace: ['Enter another token of ', ' to keep your place on this page.'],
  keepToken: 'Remember in this tab',
  moreProjects: (count: number) => `${count} more: type the start of the title.`,
  noResponse: 'The gateway didn’t respond.',
  notFound: 'It doesn’t exist, or your token has no access to it.',
  oldKeyExpires: 'Old key and its tokens expire',
  permissions: 'Permissions',
  readAndWrite: 'Read and write',
  revokeToken: 'Revoke the token',
  rotateKey: 'Rotate key',
  rotateTheKey: 'Rotate the key',
  searchHint:
    'Search by the start of a title, or by a full reference, address or ID. Results include every project that your token has access to.',
  secretSaved: (noun: string) => `I’ve saved the ${noun}`,
  stopsWorking: 'stops working immediately and everywhere.',
  tokenCut: (count: number, full: number) => `The token is incomplete: ${count} of ${full} characters.`,
  tokenExpires: 'This token expires',
  tokenForm: 'Tokens start with paw_acct_ or paw_app_.',
  tokenRemoved: 'The token was removed in another tab.',
  tokenRevoked: 'The token was revoked.',
  unarchive: 'Unarchive',
  unarchiveWallet: 'Unarchive the wallet',
  withCurrentToken: 'With your current token',
} as const;

/** The permissions of a new token in words, by its access. */
export const CONSEQUENCES = {
  account: {
    read: 'Can read every project, wallet and app in the account, its tokens and its events. Can’t change anything.',
    change:
      'Can read and change every project, wallet and app in the account, rotate app keys, and revoke tokens.',
  },
  project: {
    read: 'Can read the project, its wallets and its apps. Can’t change anything.',
    change: 'Can read and change the project, its wallets and its apps, and rotate the keys of these apps.',
  },
} as const;

/** The nouns of counts: the plural, and the singular. */
const NOUNS = {
  projects: 'project',
  wallets: 'wallet',
  apps: 'app',
  'valid tokens': 'valid token',
  events: 'event',
  addresses: 'address',
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
