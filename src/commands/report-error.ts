import { ConfigError } from '../config.ts';
import { toApiError } from '../data/to-api-error.ts';
import { errorBody } from '../http/error-body.ts';
import { ApiError, describeCause, INVALID_FIELD } from '../model/api-error.ts';
import { DatabaseError } from '../storage/errors.ts';
import { WorkerStartError } from '../workers.ts';
import { UsageError } from './command.ts';
import { OutputError } from './terminal.ts';

// The status of a process that SIGPIPE ends, which Node ignores.
const PIPE_CLOSED = 141;

/**
 * Prints the error of a command on standard error, and returns the exit status: 2 for a usage error, 1 for all others.
 *
 * @param isJson whether to print one JSON object, instead of one line
 */
export function reportError(thrown: unknown, isJson: boolean): number {
  // The reader has read enough.
  if (thrown instanceof OutputError && thrown.isPipeClosed) return PIPE_CLOSED;
  const error = thrown instanceof DatabaseError ? toApiError(thrown) : thrown;
  const isInput = error instanceof ApiError && error.reason === INVALID_FIELD;
  // A worker has already printed its error.
  if (!(error instanceof WorkerStartError)) {
    console.error(isJson ? formatJson(error) : `paw: ${describe(error).replaceAll('\n', ' ')}`);
  }
  return isInput || error instanceof UsageError ? 2 : 1;
}

/** Formats an error as one JSON object, with the format of REST errors. */
function formatJson(error: unknown): string {
  const message = describe(error);
  if (error instanceof ApiError) {
    const { status, reason, fieldViolations } = error;
    return errorBody(new ApiError(status, reason, message, { fieldViolations }));
  }
  const isInput = error instanceof UsageError || error instanceof ConfigError;
  return errorBody(
    isInput
      ? new ApiError('INVALID_ARGUMENT', 'INVALID_USAGE', message)
      : new ApiError('INTERNAL', 'COMMAND_FAILED', message),
  );
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof ApiError) || error.status !== 'UNAVAILABLE') return error.message;
  // The operator sees the error of the database. Clients do not.
  const cause = describeCause(error);
  return error.reason === 'RESULT_UNKNOWN'
    ? `${error.message} The error was: ${cause}.`
    : `The database is unavailable: ${cause}.`;
}
