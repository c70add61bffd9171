// The data layer as the APIs see it.
const DATA = ['data/data-layer.ts', 'data/operation/'];
const API = ['model/', 'http/', ...DATA];

/** What the parts of `src/` may import, beside themselves. Types count, too. */
const ALLOWED = {
  'model/': [],
  'credentials/': ['model/'],
  'storage/': ['model/'],
  'data/': ['model/', 'credentials/', 'storage/'],
  'http/': ['model/', ...DATA],
  'graphql/': API,
  'rest/': API,
  'oauth/': API,
  'pages/': API,
  'metrics/': ['model/', 'http/', 'storage/'],
  'client/': [],
};

/** @param {readonly string[]} paths */
const inside = (paths) => `^src/(${paths.join('|')})`;

export default {
  forbidden: [
    ...Object.entries(ALLOWED).map(([part, allowed]) => ({
      name: `imports of ${part}`,
      severity: 'error',
      from: { path: inside([part]) },
      to: { path: '^src/', pathNot: inside([part, ...allowed]) },
    })),
    { name: 'circle', severity: 'error', from: {}, to: { circular: true } },
    { name: 'circle of folders', scope: 'folder', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'src/pages/(browser|assets)' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
