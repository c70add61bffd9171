import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type GraphQLEnumType, getNamedType, isInputObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { graphqlError } from '../../../src/graphql/graphql-errors.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import { statusCodeOf } from '../../../src/http/errors/error-responses.ts';
import { CLIENT_SETTINGS } from '../../../src/model/client-settings.ts';
import { ApiError, ERRORS, type Reason } from '../../../src/model/errors.ts';
import { NETWORKS } from '../../../src/model/network.ts';
import { TABLES } from '../../../src/storage/tables/tables.ts';
import { linesUnlikeZsh } from '../../support/shell-lines.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

// The changelog is excluded, because it also describes earlier versions.
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'deploy/README.md',
  'deploy/ha/README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

/** The scripts of continuous integration. */
const SCRIPTS = readdirSync(join(ROOT, '.ci')).map((file) => `.ci/${file}`);

const textOf = (page: string) => readFileSync(join(ROOT, page), 'utf8');

/** The text of a page without its code blocks, which contain no links and headings. */
const proseOf = (page: string) => textOf(page).replace(/^ *```.*?^ *```$/gms, '');

/** Returns the first group of each match. */
const matchesOf = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, match = '']) => match);

/** The section of a page below a heading. */
const sectionOf = (page: string, heading: string) =>
  textOf(page).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

/** The anchors of the headings of a page, as GitHub generates them. */
function anchorsOf(page: string): readonly string[] {
  const unusual = /[^\p{L}\p{N}_ -]/gu;
  return matchesOf(proseOf(page), /^#+ (.*)$/gm).map((heading) =>
    heading.toLowerCase().replace(unusual, '').replaceAll(' ', '-'),
  );
}

const links = PAGES.flatMap((page) =>
  matchesOf(proseOf(page), /(?:\]\(|src(?:set)?=")([^)"\s]+)[)"]/g)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => ({ page, target })),
);

/** Whether a link leads to a file or a heading that does not exist. */
function isBroken({ page, target }: (typeof links)[number]): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  return !existsSync(join(ROOT, file)) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
}

test('the lines of a shell in the documentation run in zsh as well', () => {
  const scripts = PAGES.flatMap((page) => matchesOf(textOf(page), /^ *```sh\n(.*?)^ *```$/gms));
  expect(scripts.length).toBeGreaterThan(50);
  expect(scripts.flatMap(linesUnlikeZsh)).toEqual([]);
});

test('the page on limits says for each table who adds rows to it', () => {
  const tables = matchesOf(sectionOf('docs/limits.md', 'Stored data'), /^\| `(\w+)` \| \w.* \| .*\|$/gm);
  expect(tables).toEqual(TABLES.map(({ name }) => name));
});

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
  const isIn = (folder: string, path: string) =>
    matchesGlob(path, folder) || matchesGlob(path, `${folder}/**`);
  const isPackaged = (path: string) =>
    files.some((each) => isIn(each, path) || each.startsWith(`${path}/`)) &&
    !files.some((each) => each[0] === '!' && isIn(each.slice(1), path));
  const targets = links
    .filter(({ page }) => isPackaged(page))
    .map(({ page, target }) => join(dirname(page), target.split('#')[0] || basename(page)));
  expect(targets).toContain('deploy/grafana-dashboard.json');
  expect(targets.filter((path) => !isPackaged(path))).toEqual([]);
});

test('the paths of the repository that the documentation and the scripts of .ci name exist', () => {
  const named = PAGES.flatMap((page) =>
    matchesOf(proseOf(page), /`((?:console|src|schema|test|tools)\/[\w./-]*)`/g),
  );
  named.push(...matchesOf(SCRIPTS.map(textOf).join(), /\b((?:test|tools)\/[\w./-]+)/g));
  expect(named).toEqual(expect.arrayContaining(['src/config.ts', 'tools/deploy/production.sh']));
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('the differences in CONTRIBUTING.md apply', () => {
  const differences = textOf('CONTRIBUTING.md').matchAll(/(?<=```diff\n).+?(?=```)/gs);
  const applied = [...differences].map(
    ([input]) => spawnSync('git', ['apply', '--check'], { cwd: ROOT, input }).status,
  );
  expect(applied).toEqual([0]);
});

test('docs/running.md lists exactly the settings that the configuration reads', () => {
  const listed = matchesOf(sectionOf('docs/running.md', 'Settings'), /^\| `([A-Z_]+)` \|/gm);
  expect(listed.sort()).toEqual(settingsRead());
});

test('both contracts and docs/api.md have the networks of the model, and no others', () => {
  const networks = NETWORKS.toSorted();
  const accepted = [...networks, 'NETWORK_ETHEREUM_RINKERBY'].sort();
  const namesIn = (text = '') => [...new Set(text.match(/NETWORK_[A-Z_]+/g))].sort();
  const type = createSchema().getType('Network') as GraphQLEnumType;
  expect(type.getValues().map(({ name }) => name)).toEqual(expect.arrayContaining(accepted));
  expect(type.getValues()).toHaveLength(accepted.length);
  const enums = matchesOf(textOf('schema/openapi.yaml'), /enum: \[(NETWORK_[^\]]+)\]/g);
  expect(enums.map(namesIn)).toEqual([accepted, networks]);
  const [row] = matchesOf(textOf('docs/api.md'), /^\| `network` \| (.*)$/gm);
  expect(namesIn(row)).toEqual(accepted);
});

const PAGING = ['first', 'after', 'last', 'before', 'clientMutationId'];

/** The fields of queries and mutations, with their arguments, or those of their input, beside those of all lists and inputs. */
function operations(): readonly { readonly name: string; readonly call: string }[] {
  const schema = createSchema();
  return [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}).map(({ name, args }) => {
      const names = args.flatMap((argument) => {
        const input = getNamedType(argument.type);
        return isInputObjectType(input) ? Object.keys(input.getFields()) : [argument.name];
      });
      const own = names.filter((each) => !PAGING.includes(each));
      return { name, call: own.length > 0 ? `\`${name}(${own.join(', ')})\`` : `\`${name}\`` };
    }),
  );
}

test('docs/llms.txt has every query and mutation with its arguments, and docs/api.md has every one', () => {
  const calls = operations().map(({ call }) => call);
  expect(calls).toContainEqual(expect.stringMatching(/^`updateWallet\(name, title, /));
  const text = textOf('docs/llms.txt');
  expect(calls.filter((call) => !text.includes(call))).toEqual([]);
  const section = textOf('docs/api.md');
  expect(operations().filter(({ name }) => !new RegExp(`\`${name}[(\`]`).test(section))).toEqual([]);
});

test('docs/errors.md lists every reason once, with its HTTP status, canonical name and GraphQL code', () => {
  const rows = textOf('docs/errors.md').matchAll(
    /^\| `([A-Z_]+)` \| (?:(?:\[OAuth\]|OAuth|`paw`).*?|(\d*)[\d, ]*`([A-Z_]+)`(?: `([A-Z_]+)`)?) \|/gm,
  );
  const documented = [...rows].map(([, ...cells]) => cells);
  expect(documented.map(([reason]) => reason).sort()).toEqual(Object.keys(ERRORS).sort());
  for (const [reason, httpStatus, status, code] of documented) {
    // OAuth has its own error codes, and the errors of commands have none.
    if (status === undefined) continue;
    const error = new ApiError(reason as Reason, { message: '' });
    const { extensions } = graphqlError(error, 'r');
    expect([reason, error.status]).toEqual([reason, status]);
    // An error that only one of the APIs has is without the other one's value.
    if (httpStatus) expect([reason, statusCodeOf(error)]).toEqual([reason, Number(httpStatus)]);
    if (code) expect([reason, extensions?.['code']]).toEqual([reason, code]);
  }
});

test('no page names a PAW_ variable that neither the gateway nor its clients read', () => {
  const read: readonly string[] = [...settingsRead(), ...Object.values(CLIENT_SETTINGS)];
  const named = PAGES.flatMap((page) => textOf(page).match(/\bPAW_(?!TEST_)[A-Z_]+\b/g) ?? []);
  expect(named.filter((name) => !read.includes(name))).toEqual([]);
});

test('no page and no text of the program calls npx with a name of another package, and src/config.ts alone says how commands run', () => {
  // npm would look for a package of another author.
  expect(PAGES.filter((page) => /\bnpx paw(?!-gateway)/.test(textOf(page)))).toEqual([]);
  const sources = globSync(['src/**/*.ts', 'console/**/*.{ts,tsx}'], { cwd: ROOT });
  const isCommand = (file: string) => /npx paw|npm run (?:-s )?paw/.test(textOf(file));
  expect(sources.filter(isCommand)).toEqual(['src/config.ts']);
});

test('docs/decisions.md has the packages that are installed, and no others', () => {
  const installed = ['', 'console/', 'test/', 'test/conformance/'].flatMap((folder) => {
    const { dependencies, devDependencies } = JSON.parse(textOf(`${folder}package.json`));
    return Object.keys({ ...dependencies, ...devDependencies });
  });
  const cells = matchesOf(sectionOf('docs/decisions.md', 'Dependencies'), /^\| (`.*?) \|/gm);
  const named = cells.flatMap((cell) => matchesOf(cell, /`([^`]+)`/g));
  // A name such as `@types/*` stands for all packages of a scope.
  const isSame = (name: string, pattern: string) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
  expect(installed.filter((name) => !named.some((pattern) => isSame(name, pattern)))).toEqual([]);
  expect(named.filter((pattern) => !installed.some((name) => isSame(name, pattern)))).toEqual([]);
});

test('the npm scripts that the documentation and the workflows name exist', () => {
  const workflows = readdirSync(join(ROOT, '.github/workflows')).map((file) => `.github/workflows/${file}`);
  const named = [...PAGES, ...workflows, ...SCRIPTS].flatMap((file) =>
    matchesOf(textOf(file), /\bnpm run (?:-s |--silent )?([\w:-]+)/g),
  );
  const { scripts } = JSON.parse(textOf('package.json'));
  expect(named).toContain('package');
  expect([...new Set(named)].filter((script) => !(script in scripts))).toEqual([]);
});

test('the programs and the lines of all pages read the settings of clients by their names', () => {
  const code = [...PAGES, 'docs/llms.txt'].map(textOf).join('\n');
  const inPrograms = matchesOf(code, /const \{([^}]+)\} = process\.env/g).flatMap(
    (names) => names.match(/[A-Z_]{2,}/g) ?? [],
  );
  const own = ['WALLET', 'FILE', 'CUSTODY', 'PORT'];
  const names: readonly string[] = [...Object.values(CLIENT_SETTINGS), ...own];
  expect(inPrograms.filter((name) => !names.includes(name))).toEqual([]);
  expect(code.match(/\$\{?(?:PAW|TOKEN|KEY)\b|^(?:export )?(?:PAW|TOKEN|KEY)=/gm) ?? []).toEqual([]);
});
