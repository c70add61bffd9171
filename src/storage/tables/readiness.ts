import { columnNames } from '../sql/columns.ts';
import { TABLES } from './tables.ts';

/** How long the result of a check is remembered: load balancers and containers probe often. */
export const READINESS_LIFETIME_MS = 1000;

const READS = TABLES.map(
  // By the primary key, because the first row of a table can be behind many deleted ones.
  ({ name, columns, key }) =>
    `(SELECT ${columnNames(columns).at(-1)} FROM ${name} ORDER BY ${key[0]} LIMIT 1) AS ${name}`,
);

/** Reads a row of every table, so a missing table or a damaged file is noticed. */
export const READ_TABLES = `SELECT ${READS.join(', ')}`;

/** Fails if a table or a column is missing. It reads no row, and on Citus needs no node. */
export const FIND_COLUMNS = `SELECT 1 AS one FROM ${TABLES.map(
  ({ name, columns }) => `(SELECT ${columns} FROM ${name} WHERE FALSE) AS all_of_${name}`,
).join(', ')}`;
