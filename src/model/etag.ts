import { ApiError } from './api-error.ts';
import { ValidationError, type Validator } from './fields.ts';

/** Returns the etag of a revision of a resource. Clients can only compare it. */
export function etagOf(revision: number): string {
  return `r${revision}`;
}

// The characters of an entity tag, in ASCII. Source: RFC 9110, section 8.8.3.
const ETAG = /^[!#-~]{1,100}$/;

/**
 * The validator of `ifMatch`: an etag, or a list of them of which one has to match. Returns their revisions. An etag that the
 * gateway has never made has none, so that it matches nothing.
 */
export const ifMatch: Validator<readonly number[]> = (value) => {
  const etags: readonly unknown[] = Array.isArray(value) ? value : [value];
  return etags.flatMap((etag) => {
    if (typeof etag !== 'string' || !ETAG.test(etag)) {
      throw new ValidationError('Must be the etag of a resource, of 1 to 100 characters.');
    }
    return /^r[1-9]\d{0,14}$/.test(etag) ? [Number(etag.slice(1))] : [];
  });
};

/** @throws ABORTED if a resource has none of the revisions; undefined allows any */
export function assertRevision(
  { revision }: { readonly revision: number },
  revisions: readonly number[] | undefined,
): void {
  if (revisions !== undefined && !revisions.includes(revision)) throw new ApiError('ETAG_MISMATCH');
}
