import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  isNewer,
  PAGES,
  releaseChangelog,
  releasePage,
  SECTIONS,
  VERSION,
} from '../../tools/release/edits.ts';

const ROOT = join(import.meta.dirname, '../..');

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const RELEASE = { version: '0.2.0', previous: '0.1.0', date: '2026-11-28', repository: 'Acme/paw-gateway' };

test('a release dates the changes in the changelog, below a new empty section, and refuses to if there are none', () => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n### Fixed\n\n- One.\n\n## [0.1.0] - 2026-10-01\n\n- Two.\n';
  const released = changelog.replace('[Unreleased]\n', '[Unreleased]\n\n## [0.2.0] - 2026-11-28\n');
  expect(releaseChangelog(changelog, RELEASE)).toBe(released);
  for (const without of [released, '## [Unreleased]\n', '- One.\n']) {
    expect(() => releaseChangelog(without, RELEASE)).toThrow('CHANGELOG.md has no changes');
  }
});

test('the changelog has the headings of Keep a Changelog', () => {
  const headings = textOf('CHANGELOG.md').match(/^###? .*$/gm) ?? [];
  expect(headings[0]).toBe('## [Unreleased]');
  const allowed =
    /^## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$|^### (?:Added|Changed|Deprecated|Removed|Fixed|Security)$/;
  expect(headings.slice(1).filter((heading) => !allowed.test(heading))).toEqual([]);
});

test('the pages of a release say how to obtain it, and none says that there is no release', () => {
  const pages = globSync(PAGES, { cwd: ROOT });
  const names = pages.flatMap((page) => textOf(page).match(/(?<=<!-- release: )\w+/g) ?? []);
  expect(new Set(names)).toEqual(new Set(Object.keys(SECTIONS)));
  const released = pages.map((page) => releasePage(textOf(page), RELEASE));
  expect(released.filter((text) => /released yet|before the first release/i.test(text))).toEqual([]);
  expect(released.map((text) => releasePage(text, { ...RELEASE, previous: '0.2.0' }))).toEqual(released);
  const readme = releasePage(textOf('README.md'), RELEASE);
  expect(readme).toMatch(/^npx paw-gateway demo\ndocker run .* ghcr\.io\/acme\/paw-gateway:0\.2\.0 demo$/m);
  expect(() => releasePage('<!-- release: other -->\n<!-- /release -->', RELEASE)).toThrow('other');
});

test('a release sets the versions in the pages, including those to which a page upgrades', () => {
  const page = 'paw-gateway-0.1.0.tgz, VERSION=0.2.0, paw 0.3.0, 10.1.0, 0.1.0.1\n127.0.0.1, 0.1.0\n';
  const released = 'paw-gateway-0.2.0.tgz, VERSION=0.3.0, paw 0.4.0, 10.1.0, 0.1.0.1\n127.0.0.1, 0.1.0\n';
  expect(releasePage(page, RELEASE)).toBe(released);
});

test('a version has three numbers, and 0.10.0 is newer than 0.9.1', () => {
  const versions = ['0.1.0', '10.20.30', '', '1.0', 'v1.0.0', '01.0.0', '1.0.0-rc.1', '1.0.0\n'];
  expect(versions.filter((version) => VERSION.test(version))).toEqual(['0.1.0', '10.20.30']);
  expect(isNewer('0.10.0', '0.9.1')).toBe(true);
  expect(isNewer('0.9.1', '0.9.1') || isNewer('0.9.1', '1.0.0')).toBe(false);
});
