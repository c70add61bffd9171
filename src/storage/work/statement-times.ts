import type { Outage } from '../../model/errors.ts';
import { DatabaseError } from '../interface/database-error.ts';

/** The kinds of statements whose duration is measured. A transaction is measured as one. */
export type StatementKind = 'read' | 'write' | 'transaction';

/**
 * Is called when a statement has ended.
 *
 * @param seconds the time since its call, with all waits
 * @param outage why the database could not execute it
 */
export type ObserveStatement = (kind: StatementKind, seconds: number, outage: Outage | undefined) => void;

/** Returns a function that runs a statement, and observes its duration if there is an observer. */
export function timedStatements(
  observe: ObserveStatement | undefined,
): <T>(kind: StatementKind, run: () => Promise<T>) => Promise<T> {
  if (observe === undefined) return (_kind, run) => run();
  return async (kind, run) => {
    const startMs = performance.now();
    let outage: Outage | undefined;
    try {
      return await run();
    } catch (error) {
      if (error instanceof DatabaseError) outage = error.outage;
      throw error;
    } finally {
      observe(kind, (performance.now() - startMs) / 1000, outage);
    }
  };
}
