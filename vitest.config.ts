import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

// Programs that npm does not install. On CI all of them are installed, and a test without its program fails.
const PROGRAMS = {
  'test/browser/**': '/usr/bin/chromium',
  'test/postgres/pooler.test.ts': '/usr/sbin/pgbouncer',
  'test/sqlite/durability.test.ts': '/usr/bin/strace',
};

const withoutProgram = Object.entries(PROGRAMS)
  .filter(([, program]) => process.env['CI'] === undefined && !existsSync(program))
  .map(([tests]) => tests);

// Pure code: no server, no database, no process.
const unit = {
  name: 'unit',
  include: ['test/unit/**/*.test.ts'],
  exclude: [],
} as const;

// Everything else runs on SQLite, except the tests of the other engine.
const sqlite = {
  name: 'sqlite',
  include: ['test/**/*.test.ts'],
  exclude: ['test/unit/**', 'test/postgres/**', ...withoutProgram],
  provide: { engine: 'sqlite', postgresUrl: '' },
} as const;

// Only what depends on the engine: the operations, the storage and the commands.
const postgres = {
  name: 'postgres',
  include: ['access', 'command', 'operations', 'postgres', 'projects', 'storage'].map(
    (folder) => `test/${folder}/**/*.test.ts`,
  ),
  exclude: withoutProgram,
  provide: { engine: 'postgres' },
  globalSetup: 'test/support/shared-postgres.ts',
} as const;

export default defineConfig({
  test: {
    // Far longer than any test takes, so that none fails on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'threads',
    // Many tests wait for a process that they have started.
    maxWorkers: 4,
    // Modules are loaded by Node itself, as in production, and not by a bundler.
    experimental: { viteModuleRunner: false },
    projects: [unit, sqlite, postgres].map((project) => ({
      extends: true,
      // No module keeps state between test files.
      test: { isolate: false, ...project },
    })),
  },
});
