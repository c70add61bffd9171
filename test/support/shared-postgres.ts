import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The engine that the tests run on. */
    engine: 'sqlite' | 'postgres';
    /** The PostgreSQL server that the run shares; empty on another engine. */
    postgresUrl: string;
  }
}

/** Starts the one PostgreSQL server that all tests of a run share, each on databases of its own. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  // What a test of the gateway needs of the disk is order, not that it survives the machine.
  const server = await startPostgres('fsync=off', 'synchronous_commit=off', 'full_page_writes=off');
  provide('postgresUrl', server.urlOf('postgres'));
  return server.stop;
}
