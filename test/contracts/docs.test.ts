import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { graphqlError } from '../../src/graphql/errors.ts';
import { statusCodeOf } from '../../src/http/http-error.ts';
import { ApiError, ERRORS, type Reason } from '../../src/model/api-error.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

// The changelog is excluded, because it also describes earlier versions.
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'deploy/README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

const textOf = (page: string) => readFileSync(join(ROOT, page), 'utf8');

/** The text of a page without its code blocks, which contain no links and headings. */
const proseOf = (page: string) => textOf(page).replace(/^ *```.*?^ *```$/gms, '');

/** The anchors of the headings of a page, as GitHub generates them. */
function anchorsOf(page: string): readonly string[] {
  const headings = [...proseOf(page).matchAll(/^#+ (.*)$/gm)];
  return headings.map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const links = PAGES.flatMap((page) =>
  [...proseOf(page).matchAll(/(?:\]\(|src(?:set)?=")([^)"\s]+)[)"]/g)]
    .map(([, target = '']) => ({ page, target }))
    .filter(({ target }) => !/^[a-z]+:/.test(target)),
);

/** Whether a link leads to a file or a heading that does not exist. */
function isBroken({ page, target }: (typeof links)[number]): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  return !existsSync(join(ROOT, file)) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
}

/** The names of all environment variables that the configuration reads. */
function settingsRead(): readonly string[] {
  const names = new Set<string>();
  readConfig(new Proxy({}, { get: (_target, name) => void names.add(String(name)) }));
  return [...names].sort();
}

test('every relative link leads to a file and a heading that exist', () => {
  expect(links.length).toBeGreaterThan(50);
  expect(links.filter(isBroken)).toEqual([]);
});

test('every relative link of a page in the package leads to a file or folder in the package', () => {
  const { files } = JSON.parse(textOf('package.json')) as { files: readonly string[] };
  const isIncluded = (path: string) =>
    files.some(
      (each) => [each, `${each}/**`].some((glob) => matchesGlob(path, glob)) || each.startsWith(`${path}/`),
    );
  const isExcluded = (path: string) =>
    files.some((each) => each[0] === '!' && matchesGlob(path, each.slice(1)));
  const isPackaged = (path: string) => isIncluded(path) && !isExcluded(path);
  const targets = links
    .filter(({ page }) => isPackaged(page))
    .map(({ page, target }) => join(dirname(page), target.split('#')[0] || basename(page)));
  expect(targets).toContain('deploy/grafana-dashboard.json');
  expect(targets.filter((path) => !isPackaged(path))).toEqual([]);
});

test('the paths of the repository that the documentation and .ci/run name exist', () => {
  const named = PAGES.flatMap((page) =>
    [...proseOf(page).matchAll(/`((?:src|schema|test|tools)\/[\w./-]*)`/g)].map(([, path = '']) => path),
  );
  named.push(...(textOf('.ci/run').match(/\b(?:test|tools)\/[\w./-]+/g) ?? []));
  expect(named).toContain('src/config.ts');
  expect(named).toContain('tools/deploy/production.sh');
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('docs/running.md lists exactly the settings that the configuration reads', () => {
  const [, section = ''] = /^## Settings$(.*?)^## /ms.exec(textOf('docs/running.md')) ?? [];
  const listed = [...section.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual(settingsRead());
});

test('docs/troubleshooting.md has every reason, and no other', () => {
  const named = textOf('docs/troubleshooting.md').match(/^\| `[A-Z_]+`/gm) ?? [];
  const reasons = new Set(named.map((cell) => cell.replace(/[^A-Z_]/g, '')));
  expect([...reasons].sort()).toEqual(Object.keys(ERRORS).sort());
});

test('README.md has ratios of docs/benchmarks.md, the least favourable one included', () => {
  const rows = textOf('docs/benchmarks.md').matchAll(/^\| [^|]+ \| [^|]+ \| (\d+\.\d+) \(/gm);
  const ratios = [...rows].map(([, ratio]) => Number(ratio));
  const named = [...textOf('README.md').matchAll(/(\d+\.\d+)\s+times/g)].map(([, ratio]) => Number(ratio));
  expect(named).toContain(Math.max(...ratios));
  expect(named.filter((ratio) => !ratios.includes(ratio))).toEqual([]);
});

test('docs/api.md lists every reason with its HTTP status, canonical name and GraphQL code', () => {
  // OAuth has error codes of its own, and the others are those of commands.
  const others: readonly Reason[] = [
    'INVALID_SCOPE',
    'INVALID_TARGET',
    'TOKEN_OF_ANOTHER_APP',
    'UNSUPPORTED_GRANT_TYPE',
    'RESOURCE_UNUSABLE',
    'INVALID_USAGE',
    'COMMAND_FAILED',
  ];
  const rows = textOf('docs/api.md').matchAll(
    /^\| `([A-Z_]+)` \| ?(\d*)[\d, ]* \| `([A-Z_]+)` \| ?`?([A-Z_]*)`? \|/gm,
  );
  const documented = [...rows].map(([, ...cells]) => cells);
  expect(documented.map(([reason]) => reason).sort()).toEqual(
    Object.keys(ERRORS)
      .filter((reason) => !others.includes(reason as Reason))
      .sort(),
  );
  for (const [reason, httpStatus, status, code] of documented) {
    const error = new ApiError(reason as Reason, { message: '' });
    const { extensions } = graphqlError(error, 'r');
    expect([reason, error.status]).toEqual([reason, status]);
    // An error that only one of the APIs has is without the other one's value.
    if (httpStatus) expect([reason, statusCodeOf(error)]).toEqual([reason, Number(httpStatus)]);
    if (code) expect([reason, extensions?.['code']]).toEqual([reason, code]);
  }
});

test('no page names a PAW_ variable that the program does not read', () => {
  const named = PAGES.flatMap((page) => textOf(page).match(/\bPAW_(?!TEST_)[A-Z_]+\b/g) ?? []);
  expect(named.filter((name) => !settingsRead().includes(name))).toEqual([]);
});

test('no page runs npx with the name of the command, which npm would look for as a package of another author', () => {
  expect(PAGES.filter((page) => /\bnpx paw(?!-gateway)/.test(textOf(page)))).toEqual([]);
});

test('CONTRIBUTING.md has the packages that are installed, and no others', () => {
  const installed = ['package.json', 'test/package.json'].flatMap((file) => {
    const { dependencies, devDependencies } = JSON.parse(textOf(file));
    return Object.keys({ ...dependencies, ...devDependencies });
  });
  const [, section = ''] = /^## Dependencies$(.*)/ms.exec(textOf('CONTRIBUTING.md')) ?? [];
  const cells = [...section.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell);
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  // A name such as `@types/*` stands for all packages of a scope.
  const isSame = (name: string, pattern: string) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
  expect(installed.filter((name) => !named.some((pattern) => isSame(name, pattern)))).toEqual([]);
  expect(named.filter((pattern) => !installed.some((name) => isSame(name, pattern)))).toEqual([]);
});

test('the npm scripts that the documentation and the workflows name exist', () => {
  const workflows = readdirSync(join(ROOT, '.github/workflows')).map((file) => `.github/workflows/${file}`);
  const named = [...PAGES, ...workflows, '.ci/run'].flatMap((file) =>
    [...textOf(file).matchAll(/\bnpm run (?:-s |--silent )?([\w:-]+)/g)].map(([, script = '']) => script),
  );
  const { scripts } = JSON.parse(textOf('package.json'));
  expect(named).toContain('package');
  expect([...new Set(named)].filter((script) => !(script in scripts))).toEqual([]);
});
