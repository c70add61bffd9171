// The data layer as the APIs see it: the operations, which they call, and no way to a database without their rules.
const DATA = [
  'src/data/(apps/|projects/|wallets/|tokens/|events/)?[^/]+.ts',
  'src/data/lists/get-resources.ts',
  'src/data/idempotency/begin-idempotent.ts',
  'src/data/call/to-api-error.ts',
];
const API = ['src/model/', 'src/http/', ...DATA];

/** What the parts of the program may import, beside themselves. Types count, too. */
const ALLOWED = {
  'src/model/': [],
  'src/credentials/': ['src/model/'],
  'src/storage/': ['src/model/'],
  'src/data/': ['src/model/', 'src/credentials/', 'src/storage/'],
  // What commands alone call.
  'src/operator/': ['src/model/', 'src/credentials/', 'src/storage/', 'src/data/'],
  'src/http/': ['src/model/', ...DATA],
  'src/graphql/': API,
  'src/rest/': API,
  'src/oauth/': API,
  'src/pages/': API,
  'src/metrics/': ['src/model/', 'src/http/', 'src/storage/open-database.ts'],
  'src/client/': [],
  // A command calls the data layer, not an API.
  'src/commands/': [
    'src/(model|credentials|storage|data|operator)/',
    'src/(config|server).ts',
    'src/pages/assets.ts',
    'src/http/errors/error-body.ts',
  ],
  // Nothing but the program itself imports a command.
  'src/server.ts': ['src/(?!commands|main)'],
  'src/config.ts': ['src/(?!commands|main)'],
  'console/app/': ['console/', 'src/pages/static/', 'src/model/(audit-event|client-settings|network).ts'],
  'console/explorers/': ['console/'],
  'console/documentation/': ['src/pages/(html|moved-pages|rendered-docs).ts'],
};

/** The packages that one part alone may import. */
const PACKAGES = {
  'fastify|@fastify': 'src/(http|graphql|rest|oauth|pages|metrics|testing)/|src/server.ts',
  'graphql|@apollo|@graphql-tools|keyv': 'src/graphql/',
  'pg|node:sqlite': 'src/storage/',
  '@prometheus-io': 'src/metrics/',
  'lru-cache': 'src/model/byte-cache.ts',
};

/** @param {readonly string[]} paths */
const inside = (paths) => `^(${paths.join('|')})`;

export default {
  forbidden: [
    ...Object.entries(ALLOWED).map(([part, allowed]) => ({
      name: `imports of ${part}`,
      severity: 'error',
      from: { path: inside([part]) },
      to: { path: '^(src|console)/', pathNot: inside([part, ...allowed]) },
    })),
    ...Object.entries(PACKAGES).map(([packages, part]) => ({
      name: `packages of ${part}`,
      severity: 'error',
      from: { path: '^src/', pathNot: inside([part]) },
      to: { path: `^(node_modules/)?(${packages})(/|$)` },
    })),
    { name: 'circle', severity: 'error', from: {}, to: { circular: true } },
    { name: 'circle of folders', scope: 'folder', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'src/pages/assets' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
