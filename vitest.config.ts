import { existsSync, globSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The parts of `.ci/night` that are tests. `npm run test:change` and `.ci/run` leave out what has the tag of a part, `night/…`. */
const NIGHT = {
  browser: 'the pages in a browser: the console, the documentation, the explorers',
  conformance: 'programs of other authors that no other test needs',
  deploy: 'proxies, monitoring, and the unit of systemd',
  fuzz: 'random requests',
  isolation: 'conflicts and locks: requests that wait hold up no others',
  kills: 'kills and stops under load',
  linearizability: 'concurrent clients under faults',
  memory: 'small heaps, and the memory of requests',
  model: 'random operations, compared with a model',
  'power-cuts': 'writes that a power cut loses',
  slow: 'other tests that take long',
};

/**
 * The Debian packages that tests need, each with a file of it. A test names them by tags, `needs/…`. Without the file, the
 * test is left out; in CI, it fails.
 */
const PROGRAMS = {
  chromium: '/usr/bin/chromium',
  'firefox-esr': '/usr/bin/firefox-esr',
  haproxy: '/usr/sbin/haproxy',
  nginx: '/usr/sbin/nginx',
  pgbouncer: '/usr/sbin/pgbouncer',
  prometheus: '/usr/bin/prometheus',
  'python3-authlib': '/usr/lib/python3/dist-packages/authlib',
  'python3-requests': '/usr/lib/python3/dist-packages/requests',
  strace: '/usr/bin/strace',
  systemd: '/usr/bin/systemd-analyze',
  // On every Linux.
  'util-linux': '/usr/bin/prlimit',
  'webkit2gtk-driver': '/usr/bin/WebKitWebDriver',
  xvfb: '/usr/bin/xvfb-run',
};

const { CI, PAW_TEST_CITUS, PAW_TEST_CITUS_URL } = process.env;

const files = globSync('test/**/*.test.ts', { exclude: ['test/**/node_modules'] });

const excluded: string[] = [];
const leaveOut = (missing: string, tests: readonly string[]) => {
  console.warn(`Not run without ${missing}: ${tests.join(', ')}`);
  excluded.push(...tests);
};
for (const [program, path] of Object.entries(PROGRAMS)) {
  if (CI !== undefined || existsSync(path)) continue;
  const isTagged = (file: string) => readFileSync(file, 'utf8').includes(`@module-tag needs/${program}\n`);
  leaveOut(path, files.filter(isTagged));
}
if (PAW_TEST_CITUS === undefined && PAW_TEST_CITUS_URL === undefined) {
  leaveOut('PAW_TEST_CITUS or PAW_TEST_CITUS_URL', ['test/engines/citus/**']);
}

const ON_SQLITE = {
  provide: { engine: 'sqlite', postgresUrl: '' },
  globalSetup: 'test/support/build-assets.ts',
} as const;
const IN_BROWSER = {
  ...ON_SQLITE,
  globalSetup: [ON_SQLITE.globalSetup, 'test/support/chromium.ts'],
  // After the other tests, and two files at a time: one browser does not draw more pages faster.
  maxWorkers: 2,
  sequence: { groupOrder: 1 },
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
  sequence: { groupOrder: 2 },
} as const;

/** The folders of tests, and where they run. A project has the name of its first folder, and of the engine if it is one of two. */
const PROJECTS = [
  { folders: ['unit/**'] },
  { folders: ['api', 'api/command'], engine: 'sqlite', ...ON_SQLITE },
  { folders: ['api', 'api/command'], engine: 'postgres', ...ON_POSTGRES },
  { folders: ['api/contracts'], ...ON_SQLITE },
  { folders: ['api/http'], ...ON_SQLITE },
  { folders: ['api/clients/**', 'api/fuzz'], ...ON_SQLITE },
  { folders: ['engines/both'], engine: 'sqlite', ...ON_SQLITE },
  { folders: ['engines/both'], engine: 'postgres', ...ON_POSTGRES },
  { folders: ['engines/sqlite'], ...ON_SQLITE },
  { folders: ['engines/postgres'], ...ON_POSTGRES },
  { folders: ['engines/citus'], ...ON_CITUS },
  { folders: ['conformance'], ...ON_SQLITE },
  { folders: ['browser'], ...IN_BROWSER },
  { folders: ['deployment', 'deployment/process'], ...ON_SQLITE },
].map(({ folders, engine, ...project }) => {
  const [folder = ''] = folders;
  const name = [folder.replace('/**', '').replaceAll('/', '-'), ...(engine ? [engine] : [])].join('-');
  return { name, folders, ...project };
});

const includes = PROJECTS.flatMap(({ folders }) => folders.map((folder) => `test/${folder}/*.test.ts`));
const forgotten = files.filter((file) => !includes.some((pattern) => matchesGlob(file, pattern)));
if (forgotten.length > 0) throw new Error(`No project has the tests ${forgotten.join(', ')}.`);

export default defineConfig({
  test: {
    // Much longer than any test takes, so that no test fails on a busy machine.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000, interval: 20 } },
    pool: 'threads',
    // More workers than cores are useful, because many tests wait for a child process.
    maxWorkers: 4,
    // Modules are loaded by Node, as in production, and not by Vite.
    experimental: { viteModuleRunner: false },
    tags: [
      {
        name: 'conformance',
        description: 'programs of other authors that check the gateway by their own cases',
      },
      ...Object.entries(NIGHT).map(([part, description]) => ({ name: `night/${part}`, description })),
      ...Object.keys(PROGRAMS).map((program) => ({ name: `needs/${program}` })),
    ],
    projects: PROJECTS.map(({ folders, ...project }) => ({
      extends: true,
      test: {
        ...project,
        include: folders.map((folder) => `test/${folder}/*.test.ts`),
        exclude: excluded,
        // Modules have no state that files could share.
        isolate: false,
      },
    })),
  },
});
