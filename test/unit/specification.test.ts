import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The rows of the tables in `docs/specification.md`: the id of a rule, and the cell of its tests. */
const ROWS = [...textOf('docs/specification.md').matchAll(/^\| (?!id |---)(.*)\|$/gm)].map(([, row = '']) => {
  const [id = '', , ...tests] = row.split('|').map((cell) => cell.trim());
  return { id, tests: tests.join('|') };
});

const REFERENCE = /`([\w./-]+\.test\.ts)` "([^"]+)"/g;

/** Where a title begins: after `test(`, `describe(`, or the arguments of `.each`. */
const TITLE = /\b(test|describe)(?:\.each|(?=\())|(?<=\b(?:test|describe)\(|\)\()\s*(['"`])(.*?)\2,/g;

/** Returns the titles of a file, each alone and behind the title of its group, with `…` for what differs by the values of a test. */
function titlesIn(file: string): readonly (readonly string[])[] {
  let [kind, group] = ['', ''];
  return [...textOf(file).matchAll(TITLE)].flatMap(([, opened, , title]) => {
    if (opened !== undefined) kind = opened;
    if (title === undefined) return [];
    const name = title.replace(/%[a-z]|\$\{[^}]*\}|\$[\w.]+/g, '…');
    if (kind === 'test') return [[name, `${group} ${name}`]];
    group = name;
    return [];
  });
}

/** Returns what is wrong with the tests that a rule names. */
function faultsOf(tests: string): readonly string[] {
  const references = [...tests.matchAll(REFERENCE)];
  const rest = tests.replace(REFERENCE, '').replaceAll(', ', '');
  if (references.length === 0 || rest !== '') return [`is no list of tests: ${tests}`];
  return references.flatMap(([reference, path = '', name = '']) => {
    const file = ['test/api', 'test']
      .map((folder) => `${folder}/${path}`)
      .find((each) => existsSync(join(ROOT, each)));
    if (file === undefined) return [`no file: ${reference}`];
    const pattern = new RegExp(`^${name.split(/ ?…/).map(RegExp.escape).join('.+')}$`);
    const found = titlesIn(file).filter((titles) => titles.some((title) => pattern.test(title)));
    return found.length === 1 ? [] : [`${found.length} tests: ${reference}`];
  });
}

test('each rule of docs/specification.md has an id, and names tests that exist', () => {
  const ids = ROWS.map(({ id }) => id);
  expect(ids).toContain('`list-1`');
  expect(ids.filter((id, index) => !/^`[a-z-]+-\d+`$/.test(id) || ids.indexOf(id) !== index)).toEqual([]);
  expect(ROWS.flatMap(({ id, tests }) => faultsOf(tests).map((fault) => `${id}: ${fault}`))).toEqual([]);
});

test('each page that names the specification links to it at the first place', () => {
  const pages = globSync(['*.md', 'deploy/**/*.md', 'docs/*.md'], { cwd: ROOT }).filter(
    (page) => !['CHANGELOG.md', 'docs/specification.md'].includes(page),
  );
  const first = pages.flatMap((page) => {
    const [place] = /\b[Tt]he \[?specification\b.{0,30}/.exec(textOf(page)) ?? [];
    return place === undefined ? [] : [`${page}: ${place}`];
  });
  expect(first).not.toEqual([]);
  expect(first.filter((place) => !/\[specification\]\((docs\/)?specification\.md[#)]/.test(place))).toEqual(
    [],
  );
});
