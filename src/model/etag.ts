import { hash } from 'node:crypto';
import { ApiError } from './errors.ts';
import { ValidationError, type Validator } from './fields/fields.ts';
import { parseUlid, type Ulid } from './resource-name.ts';

// The etag of a wallet or an app is its revision: an id that each update makes anew. A number that is counted could come again for
// another content, after a restore, a failover, or a deletion and an import. Source: RFC 9110, section 8.8.1.

// That of a project is the digest of what an update can change, so lists, which most clients read without it, need not
// read a revision.

// The characters of an entity tag, in ASCII. Source: RFC 9110, section 8.8.3.
const ETAG = /^[!#-~]{1,100}$/;

/** Returns the etag of a project. */
export function projectEtag({
  title,
  description,
  reference,
}: {
  readonly title: string;
  readonly description: string;
  readonly reference: string | null;
}): string {
  return hash('sha256', JSON.stringify([title, description, reference]), 'base64url');
}

/** The validator of an etag. */
export const etag: Validator<string> = (value) => {
  if (typeof value !== 'string' || !ETAG.test(value)) {
    throw new ValidationError(
      'Must be the etag of a resource, of 1 to 100 characters, without quotation marks.',
    );
  }
  return value;
};

/**
 * The validator of `ifMatch`: an etag, or a list of them of which one has to match. Leaves out those that the gateway has
 * never made, so they match nothing.
 */
export const ifMatch: Validator<readonly Ulid[]> = (value) => {
  const etags: readonly unknown[] = Array.isArray(value) ? value : [value];
  return etags.flatMap((each) => {
    const revision = parseUlid(etag(each));
    return revision !== undefined && revision === each ? [revision] : [];
  });
};

/** The conditions of an update, of which one that is undefined holds. Source: RFC 9110, section 13.1. */
export type Preconditions = {
  /** The revisions of which the resource must have one. */
  readonly ifMatch?: readonly Ulid[] | undefined;
  /** The revisions of which it must have none, or `*`: it must not exist. */
  readonly ifNoneMatch?: readonly Ulid[] | '*' | undefined;
};

/** The validator of `ifNoneMatch`, which only REST has. */
export const ifNoneMatch: Validator<readonly Ulid[] | '*'> = (value) =>
  value === '*' ? value : ifMatch(value);

/** @throws ABORTED if a resource does not meet the conditions */
export function assertPreconditions(
  { revision }: { readonly revision: Ulid },
  { ifMatch: some, ifNoneMatch: none }: Preconditions,
): void {
  const isMet = (some?.includes(revision) ?? true) && none !== '*' && !none?.includes(revision);
  if (!isMet) throw new ApiError('ETAG_MISMATCH');
}
