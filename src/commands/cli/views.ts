import { type App, appView } from '../../model/app.ts';
import type { AuditEvent } from '../../model/audit-event.ts';
import type { Token } from '../../model/token.ts';
import type { Wallet } from '../../model/wallet.ts';
import type { ExportedRecord } from '../../operator/export-account.ts';

/** A resource as the commands print it: times in ISO 8601, without their unit, and empty texts for missing values. */
type Printed<T> = {
  readonly [F in keyof T as F extends `${infer Name}Ms` ? Name : F]: F extends `${string}Ms`
    ? string
    : T[F] extends readonly (infer Item extends object)[]
      ? readonly Printed<Item>[]
      : undefined extends T[F]
        ? NonNullable<T[F]> | ''
        : T[F];
};

/** Returns the fields of a resource that the commands print. A new field of its model is printed as well. */
export function printed<T extends object>(resource: T): Printed<T> {
  const fields = Object.entries(resource).map(([field, value]) => printedField(field, value));
  return Object.fromEntries(fields) as Printed<T>;
}

function printedField(field: string, value: unknown): readonly [string, unknown] {
  if (field.endsWith('Ms')) {
    return [field.slice(0, -2), value === undefined ? '' : new Date(Number(value)).toISOString()];
  }
  if (!Array.isArray(value)) return [field, value ?? ''];
  return [field, value.map((each: unknown) => (typeof each === 'object' && each ? printed(each) : each))];
}

/** Returns a function that adds the reference to the fields of the specification. */
export function withReference<T extends { readonly reference: string | null }, View>(
  view: (resource: T) => View,
) {
  return (resource: T) => ({ ...view(resource), reference: resource.reference ?? '' });
}

/** Returns the input of an update, where null removes the reference. */
export function withoutEmptyReference(input: Readonly<Record<string, string>>) {
  return input['reference'] === '' ? { ...input, reference: null } : input;
}

export function tokenView({ makerTokenId, ...token }: Token) {
  return { ...printed(token), maker: makerTokenId ?? '' };
}

/** Returns the fields of an app in a list. */
export function listedAppView(app: App) {
  const { lastSignInTime, keys } = printed(app);
  return { ...appView(app), lastSignInTime, keys };
}

export function auditEventView({ tokenId, actorTokenId, ...event }: AuditEvent) {
  // A sign-in over OAuth has no token.
  const client = actorTokenId === undefined ? 'client' : 'credential';
  const actor = event.address === undefined ? 'operator' : client;
  return { ...printed(event), token: tokenId ?? '', actor, credential: actorTokenId ?? '' };
}

/** The names come from the models, so a renamed secret is not exported by mistake. */
type Exported = Partial<Record<keyof App | keyof Wallet, unknown>>;

/** Returns the fields of a record of an export: all but those for secrets, the etag, which an import makes anew, and the id of a name. */
export function exportView(record: ExportedRecord): object {
  const { type } = record;
  if (type === 'token') return { type, ...tokenView(record.resource) };
  if (type === 'event') return { type, ...auditEventView(record.resource) };
  const { id: _, etag: __, privateKey: ___, ...fields }: Exported = printed(record.resource);
  return { type, ...fields };
}
