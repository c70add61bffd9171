import { PAW_COMMAND } from '../../config.ts';
import { toApiError } from '../../data/call/to-api-error.ts';
import { errorBody } from '../../http/errors/error-body.ts';
import { ApiError, ConfigError, describeCause } from '../../model/errors.ts';
import { DatabaseError } from '../../storage/interface/database-error.ts';
import { UsageError } from './command.ts';
import { escapeJson, printable } from './safe-output.ts';
import { OutputError } from './terminal.ts';

// The status of a process that SIGPIPE ends, which Node ignores.
const PIPE_CLOSED = 141;

/** Prints the error of a command on standard error, and returns the exit status: 2 for a usage error, 1 for all others. */
export function reportError(thrown: unknown, isJson: boolean): number {
  // The reader has read enough.
  if (thrown instanceof OutputError && thrown.isPipeClosed) return PIPE_CLOSED;
  const error = thrown instanceof DatabaseError ? toApiError(thrown) : thrown;
  const isInput = error instanceof ApiError && error.reason === 'INVALID_FIELD';
  console.error(
    isJson ? escapeJson(formatJson(error)) : `paw: ${printable(describe(error).replaceAll('\n', ' '))}`,
  );
  return isInput || error instanceof UsageError ? 2 : 1;
}

/** Formats an error as one JSON object, with the format of REST errors. */
function formatJson(error: unknown): string {
  const message = describe(error);
  if (error instanceof ApiError) {
    const { reason, fieldViolations } = error;
    return errorBody(new ApiError(reason, { message, fieldViolations }));
  }
  const isInput = error instanceof UsageError || error instanceof ConfigError;
  return errorBody(new ApiError(isInput ? 'INVALID_USAGE' : 'COMMAND_FAILED', { message }));
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A message can name the command to run, as in "paw migrate".
  if (!(error instanceof ApiError)) return error.message.replace(/"paw (?=[a-z ]+")/g, `"${PAW_COMMAND} `);
  if (error.status !== 'UNAVAILABLE') return error.message;
  // The operator sees the error of the database. Clients do not.
  const cause = describeCause(error);
  return error.reason === 'RESULT_UNKNOWN'
    ? `${error.message} The error was: ${cause}.`
    : `The database is unavailable: ${cause}.`;
}
