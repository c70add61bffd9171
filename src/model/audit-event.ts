import { type ResourceName, resourceName, type Ulid } from './resource-name.ts';

export const AUDIT_ACTIONS = [
  'account.create',
  'account.suspend',
  'account.resume',
  'account.delete',
  'project.create',
  'project.update',
  'project.delete',
  'wallet.create',
  'wallet.update',
  'wallet.archive',
  'wallet.unarchive',
  'wallet.delete',
  'wallet.refuse',
  'address.add',
  'address.delete',
  'app.create',
  'app.update',
  'app.activate',
  'app.deactivate',
  'app.rotate_key',
  'app.delete',
  'token.create',
  'token.revoke',
  'sign_in.succeed',
  'sign_in.fail',
  'sign_in.undo',
  'sign_out',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The record of an act. It contains no secret and no value of a field. */
export type AuditEvent = {
  readonly id: Ulid;
  /** The time of the act, or of the first that the event counts: Unix time in milliseconds. */
  readonly timeMs: number;
  /** The time of the act, or of the last that the event counts: Unix time in milliseconds. */
  readonly lastTimeMs: number;
  readonly account: ResourceName<'accounts'>;
  readonly action: AuditAction;
  /** The resource of the act. A failed sign-in to an app that does not exist has the account. */
  readonly resource: ResourceName;
  /** The public id of the token of the request; undefined for an act of the operator. */
  readonly actorTokenId: Ulid | undefined;
  /** The app of this token, or the app that has signed in by its key alone. It may be deleted. */
  readonly app: ResourceName<'apps'> | undefined;
  /** The title of this token at the time of the act; undefined if it had none. */
  readonly actorTitle: string | undefined;
  /** The public id of the token that was issued or revoked, if it is one; of several sign-ins, the first one's. */
  readonly tokenId: Ulid | undefined;
  /** The names of the fields that an update has set, or the network of addresses. */
  readonly fields: readonly string[];
  /** The IPv4 address of the client, or its IPv6 network; undefined for an act of the operator. */
  readonly address: string | undefined;
  /** The id of the request, or of the first; undefined for an act of the operator. */
  readonly requestId: string | undefined;
  /** The number of revoked tokens, of addresses, or of equal acts of a client within a minute. */
  readonly count: number;
};

/**
 * Returns who did an act, in words. Only a title has `app` or `token` before it, so it can't be taken for something else.
 *
 * @param appTitle the title that the app of the event has now; undefined if it is deleted
 */
export function actorOf(
  { app, actorTitle, actorTokenId, address }: AuditEvent,
  appTitle?: string | undefined,
): string {
  if (app !== undefined) return appTitle === undefined ? app : `app ${appTitle}`;
  if (actorTitle !== undefined) return `token ${actorTitle}`;
  if (actorTokenId !== undefined) return resourceName('tokens', actorTokenId);
  return address === undefined ? 'the operator' : 'an unknown client';
}
