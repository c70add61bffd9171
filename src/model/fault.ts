/**
 * Why an operation is unavailable: the database is away, a lock was not available in time, or the time was over before
 * the database was free.
 */
export type Fault = 'outage' | 'lock' | 'overload';
