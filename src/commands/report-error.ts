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
  // A worker has already printed its error.
  if (!(error instanceof WorkerStartError)) console.error(isJson ? formatJson(error) : formatLine(error));
  const isUsageError =
    error instanceof UsageError || (error instanceof ApiError && error.reason === INVALID_FIELD);
  return isUsageError ? 2 : 1;
}

/** Formats an error as one line, without a stack trace. */
function formatLine(error: unknown): string {
  return `paw: ${describe(error).replaceAll('\n', ' ')}`;
}

/** Formats an error as one JSON object, with the format of REST errors. */
function formatJson(error: unknown): string {
  if (error instanceof ApiError) {
    const { status, reason, fieldViolations } = error;
    return errorBody(new ApiError(status, reason, describe(error), { fieldViolations }));
  }
  const isInput = error instanceof UsageError || error instanceof ConfigError;
  const [status, reason] = isInput
    ? (['INVALID_ARGUMENT', 'INVALID_USAGE'] as const)
    : (['INTERNAL', 'COMMAND_FAILED'] as const);
  return errorBody(new ApiError(status, reason, describe(error)));
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
