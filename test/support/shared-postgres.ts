import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres-server.ts';

/** Starts the PostgreSQL server that all tests of a run share. Each test has its own databases. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  // The data of the tests need not survive a crash of the machine, and statistics that are gathered at a random time
  // would change the plans.
  const server = await startPostgres(
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    'autovacuum=off',
  );
  provide('postgresUrl', server.urlOf('postgres'));
  return server.stop;
}
