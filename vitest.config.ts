import { existsSync, globSync, readdirSync } from 'node:fs';
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

const ON_SQLITE = {
  provide: { engine: 'sqlite', postgresUrl: '' },
  globalSetup: 'test/support/build-assets.ts',
} as const;
const ON_POSTGRES = {
  provide: { engine: 'postgres' },
  globalSetup: 'test/support/shared-postgres.ts',
} as const;

/** The projects of a folder, which is named after what its tests need. */
function projectsOf(folder: string) {
  if (folder === 'unit') return [{ name: folder }];
  if (folder === 'postgres') return [{ name: folder, ...ON_POSTGRES }];
  if (folder !== 'both-engines') return [{ name: folder, ...ON_SQLITE }];
  return [
    { name: `${folder}-sqlite`, ...ON_SQLITE },
    { name: `${folder}-postgres`, ...ON_POSTGRES },
  ];
}

const folders = readdirSync('test', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
  .map(({ name }) => name)
  .filter((name) => globSync(`test/${name}/**/*.test.ts`).length > 0);

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
    projects: folders.flatMap((folder) =>
      projectsOf(folder).map((project) => ({
        extends: true,
        test: {
          ...project,
          include: [`test/${folder}/**/*.test.ts`],
          exclude: withoutProgram,
          // Modules have no state that files could share.
          isolate: false,
        },
      })),
    ),
  },
});
