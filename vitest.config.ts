import { existsSync, globSync, readdirSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

// Tests that need a program that npm does not install. In CI, a test without its program fails.
const PROGRAMS = {
  '/usr/bin/chromium': 'test/{browser,browser-long}/**',
  '/usr/bin/prometheus': 'test/deploy/monitoring.test.ts',
  '/usr/bin/strace': 'test/sqlite/{failed-sync,power-cut}.test.ts',
  '/usr/bin/systemd-analyze': 'test/deploy/service-unit.test.ts',
  '/usr/lib/python3/dist-packages/authlib': 'test/clients/oauth.test.ts',
  '/usr/sbin/haproxy': 'test/deploy/proxies.test.ts',
  '/usr/sbin/nginx': 'test/deploy/proxies.test.ts',
  '/usr/sbin/pgbouncer': 'test/postgres/pooler.test.ts',
};

const withoutProgram = Object.entries(PROGRAMS).flatMap(([program, tests]) => {
  if (process.env['CI'] !== undefined || existsSync(program)) return [];
  console.warn(`Not run without ${program}: ${tests}`);
  return tests;
});

const ON_SQLITE = {
  provide: { engine: 'sqlite', postgresUrl: '' },
  globalSetup: 'test/support/build-assets.ts',
} as const;
const IN_BROWSER = {
  ...ON_SQLITE,
  globalSetup: [ON_SQLITE.globalSetup, 'test/support/chromium.ts'],
  // After the other tests, one file at a time: one browser does not draw several pages faster than one.
  fileParallelism: false,
};
const ON_POSTGRES = {
  provide: { engine: 'postgres' },
  globalSetup: 'test/support/shared-postgres.ts',
} as const;
const ON_CITUS = {
  provide: { engine: 'postgres', postgresUrl: '' },
  globalSetup: ['test/support/build-assets.ts', 'test/support/shared-citus.ts'],
  // Citus can't add nodes to two databases at the same time.
  fileParallelism: false,
} as const;

/** What `npm run test:citus` runs. */
const CITUS_PROJECT = {
  name: 'citus',
  ...ON_CITUS,
  include: ['test/citus/**/*.test.ts', 'test/both-engines/api/**/*.test.ts'],
};

/** The projects of a folder, which is named after what its tests need. */
function projectsOf(folder: string) {
  if (folder === 'unit') return [{ name: folder }];
  if (folder === 'browser') return [{ name: folder, ...IN_BROWSER, sequence: { groupOrder: 1 } }];
  if (folder === 'browser-long') return [{ name: folder, ...IN_BROWSER, sequence: { groupOrder: 2 } }];
  if (folder === 'postgres') return [{ name: folder, ...ON_POSTGRES }];
  if (!folder.startsWith('both-engines')) return [{ name: folder, ...ON_SQLITE }];
  return [
    { name: `${folder}-sqlite`, ...ON_SQLITE },
    { name: `${folder}-postgres`, ...ON_POSTGRES },
  ];
}

const folders = readdirSync('test', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !['citus', 'node_modules'].includes(entry.name))
  .map(({ name }) => name)
  .filter((name) => globSync(`test/${name}/**/*.test.ts`).length > 0);

const projects =
  process.env['PAW_TEST_ON'] === 'citus'
    ? [CITUS_PROJECT]
    : folders.flatMap((folder) =>
        projectsOf(folder).map((project) => ({ ...project, include: [`test/${folder}/**/*.test.ts`] })),
      );

export default defineConfig({
  test: {
    // Much longer than any test takes, so that no test fails on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000, interval: 20 } },
    pool: 'threads',
    // More workers than cores are useful, because many tests wait for a child process.
    maxWorkers: 4,
    // Modules are loaded by Node, as in production, and not by Vite.
    experimental: { viteModuleRunner: false },
    projects: projects.map((project) => ({
      extends: true,
      test: {
        ...project,
        exclude: withoutProgram,
        // Modules have no state that files could share.
        isolate: false,
      },
    })),
  },
});
