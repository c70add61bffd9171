import type { Outage } from '../../model/errors.ts';

/**
 * Thrown if the database could not execute a statement or a transaction. All other errors of the storage are faults of the
 * program, or say in one line to the operator why the program can't use the database or a file.
 */
export class DatabaseError extends Error {
  /** `UNAVAILABLE` if no change was committed, `RESULT_UNKNOWN` if one may have been. */
  readonly reason: 'UNAVAILABLE' | 'RESULT_UNKNOWN';
  readonly outage: Outage;
  /** The name of the resource that the statement is about which did not get its lock in time, if it is known. */
  readonly resource: string | undefined;

  /**
   * @param cause the error of the engine; undefined if there is nothing to log: the transaction has lost a conflict, or an
   *   earlier error of it was logged
   */
  constructor(reason: DatabaseError['reason'], cause: unknown, outage: Outage = 'down', resource?: string) {
    super(reason, { cause });
    this.reason = reason;
    this.outage = outage;
    this.resource = resource;
  }
}

/** Returns the error for a change that was not made, or a read without a result. See `DatabaseError`. */
export function unavailable(cause?: unknown, outage?: Outage, resource?: string): DatabaseError {
  return new DatabaseError('UNAVAILABLE', cause, outage, resource);
}

/** Returns the error for a change whose commit the database has not confirmed: it may be committed. */
export function resultUnknown(cause: unknown, outage?: Outage): DatabaseError {
  return new DatabaseError('RESULT_UNKNOWN', cause, outage);
}
