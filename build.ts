/**
 * Builds the published package.
 *
 * - `node build.ts` builds the browser assets and creates `dist/`: JavaScript, type declarations, and the files that the
 *   program reads.
 * - `node build.ts package` also creates `package/`, which is published to npm: `npm publish ./package`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { buildAssets } from './console/build.ts';

const DIST = 'dist';

// Files that the program reads at run time. They are copied unchanged.
const READ_AT_RUN_TIME = [
  'src/storage/migrations/*.sql',
  'src/pages/static/*',
  'src/pages/assets/*.{br,gz}',
  'src/pages/assets/docs/*',
];

const PACKAGE = 'package';

process.chdir(import.meta.dirname);
const isForPackage = process.argv[2] === 'package';
await buildAssets(isForPackage);
buildProgram();
if (isForPackage) buildPackage();

function buildProgram(): void {
  rmSync(DIST, { recursive: true, force: true });
  execFileSync('tsc', ['-p', 'src'], { stdio: 'inherit' });
  for (const path of globSync(READ_AT_RUN_TIME)) {
    const target = path.replace(/^src/, DIST);
    mkdirSync(join(target, '..'), { recursive: true });
    cpSync(path, target);
  }
  deleteUnusedTypes();
}

/** Deletes the type declarations to which no export of the package leads. */
function deleteUnusedTypes(): void {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
  const used = new Set(
    Object.values<{ types?: string }>(exports)
      .flatMap(({ types }) => types ?? [])
      .map(normalize),
  );
  // A set also visits what is added meanwhile.
  for (const file of used) {
    const imported = readFileSync(file, 'utf8').matchAll(/(?:from|import) ?\(?['"](\.[^'"]+)\.[jt]s['"]/g);
    for (const [, path] of imported) used.add(join(dirname(file), `${path}.d.ts`));
  }
  for (const file of globSync(`${DIST}/**/*.d.ts`)) if (!used.has(file)) rmSync(file);
}

/** Creates the folder of the package, with its own README, and without what only a checkout needs. */
function buildPackage(): void {
  const root = JSON.parse(readFileSync('package.json', 'utf8'));
  for (const field of ['private', 'workspaces', 'scripts', 'devDependencies', 'overrides', 'allowScripts'])
    delete root[field];
  // The source is for the programs of the tests.
  for (const entry of ['./client', './testing']) delete root.exports[entry].development;
  // npm derives `homepage` and `bugs` from it. In a workflow of GitHub, the variable has the owner and the name.
  const { GITHUB_REPOSITORY } = process.env;
  const manifest = { ...root, ...(GITHUB_REPOSITORY && { repository: `github:${GITHUB_REPOSITORY}` }) };
  rmSync(PACKAGE, { recursive: true, force: true });
  // The field `files` of the manifest selects from these folders.
  for (const path of ['CHANGELOG.md', 'LICENSE', 'SECURITY.md', 'deploy', DIST, 'docs', 'schema']) {
    cpSync(path, join(PACKAGE, path), { recursive: true });
  }
  writeFileSync(join(PACKAGE, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const readme = readFileSync('docs/package.md', 'utf8').replace(/\]\((?!https?:)/g, '](docs/');
  writeFileSync(join(PACKAGE, 'README.md'), readme);
}
