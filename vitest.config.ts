import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

// Programs that npm does not install. In CI all of them are installed, and a test without its program fails.
const PROGRAMS: readonly (readonly [tests: string, program: string])[] = [
  ['test/browser/**', '/usr/bin/chromium'],
  ['test/deploy/monitoring.test.ts', '/usr/bin/prometheus'],
  ['test/deploy/proxies.test.ts', '/usr/sbin/haproxy'],
  ['test/deploy/proxies.test.ts', '/usr/sbin/nginx'],
  ['test/deploy/service-unit.test.ts', '/usr/bin/systemd-analyze'],
  ['test/postgres/pooler.test.ts', '/usr/sbin/pgbouncer'],
  ['test/sqlite/durability.test.ts', '/usr/bin/strace'],
  ['test/sqlite/failed-sync.test.ts', '/usr/bin/strace'],
  ['test/sqlite/power-cut.test.ts', '/usr/bin/strace'],
];

const withoutProgram = PROGRAMS.filter(
  ([, program]) => process.env['CI'] === undefined && !existsSync(program),
).map(([tests]) => tests);

// Pure code: no server, no database, no process.
const unit = {
  name: 'unit',
  include: ['test/unit/**/*.test.ts'],
  exclude: [],
} as const;

// All other tests run on SQLite, except the tests of the other engine.
const sqlite = {
  name: 'sqlite',
  include: ['test/**/*.test.ts'],
  exclude: ['test/unit/**', 'test/postgres/**', ...withoutProgram],
  provide: { engine: 'sqlite', postgresUrl: '' },
  globalSetup: 'test/support/build-assets.ts',
} as const;

// The tests that depend on the engine: the operations, the storage and the commands.
const postgres = {
  name: 'postgres',
  include: [
    ...['access', 'command', 'model', 'operations', 'postgres', 'projects', 'storage'].map(
      (folder) => `test/${folder}/**/*.test.ts`,
    ),
    'test/process/stop.test.ts',
  ],
  exclude: withoutProgram,
  provide: { engine: 'postgres' },
  globalSetup: 'test/support/shared-postgres.ts',
} as const;

export default defineConfig({
  test: {
    // Much longer than any test takes, so that no test fails on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'threads',
    // More workers than cores are useful, because many tests wait for a child process.
    maxWorkers: 4,
    // Modules are loaded by Node, as in production, and not by Vite.
    experimental: { viteModuleRunner: false },
    projects: [unit, sqlite, postgres].map((project) => ({
      extends: true,
      // Modules have no state that files could share.
      test: { isolate: false, ...project, exclude: [...project.exclude, 'test/node_modules/**'] },
    })),
  },
});
