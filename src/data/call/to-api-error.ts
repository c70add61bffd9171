import { ApiError } from '../../model/errors.ts';
import { DatabaseError } from '../../storage/interface/database-error.ts';

/**
 * Returns the error for clients: a thrown `ApiError` unchanged, UNAVAILABLE or RESULT_UNKNOWN for an error of the database,
 * and an internal error, which masks it, for every other thrown value.
 */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (!(thrown instanceof DatabaseError)) return new ApiError('INTERNAL', { cause: thrown });
  const { reason, cause, outage, resource } = thrown;
  return new ApiError(reason, { cause, outage, resource });
}
