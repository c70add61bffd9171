import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inject, type RunnerTestCase, TestRunner } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    conformance?: readonly { readonly program: string; readonly count: number; readonly engine: string }[];
  }
}

/** A program of another author that checks the gateway by cases of its own. */
type Program = {
  /** What it did. */
  readonly runs: string;
  /** What is counted. */
  readonly unit: string;
  /** Its package, if it has another name. */
  readonly npm?: string;
  /** The cases with another result than the program expects, each with the reason. */
  readonly exceptions?: Readonly<Record<string, string>>;
};

/** The result of a program in a run: what it counted, and the engines of the gateway. */
export type Conformance = {
  readonly count: number;
  readonly engines: string;
};

const DRAFT = 'it expects 400, as the draft did; the released text asks for 422';

/** The programs of the page, by the API that they call. */
const PROGRAMS: Readonly<Record<string, Readonly<Record<string, Program>>>> = {
  GraphQL: {
    'graphql-http: audits': {
      npm: 'graphql-http',
      runs: 'its audits of servers for GraphQL over HTTP',
      unit: 'audits',
      exceptions: { '423L': `no query: ${DRAFT}`, '86EE': `a variable of a wrong type: ${DRAFT}` },
    },
    'graphql-eslint': {
      npm: '@graphql-eslint/eslint-plugin',
      runs: "its rules of Relay's specification, on the schema",
      unit: 'rules',
      exceptions: {
        'relay-edge-types':
          'it expects no list beside that of edges, but `nodes` lists objects without cursors; and nodes that a client can refetch, but audit events and tokens are only read in lists',
      },
    },
  },
  REST: {
    Portman: {
      npm: '@apideck/portman',
      runs: 'the tests that it makes from `/openapi.json`, also of invalid input',
      unit: 'assertions',
    },
    newman: { runs: 'the requests of these tests', unit: 'requests' },
  },
  OAuth: {
    oauth4webapi: { runs: 'from the challenge of each path to a token and its end', unit: 'paths' },
  },
  Browsers: {
    Lighthouse: {
      npm: 'lighthouse',
      runs: 'accessibility, best practices and SEO of the start page, a page of the documentation and the console, without the audits of crawlers, which `/robots.txt` keeps out',
      unit: 'pages',
    },
  },
};

const programs = new Map(Object.values(PROGRAMS).flatMap((ofApi) => Object.entries(ofApi)));

/** The names of all programs. */
export const PROGRAM_NAMES: readonly string[] = [...programs.keys()];

/** Returns the ids of the cases with another result than the program expects. */
export const exceptionsOf = (name: string): readonly string[] =>
  Object.keys(programs.get(name)?.exceptions ?? {});

/** Says that a program has passed the current test, `count` times. The page has the sum of all tests. */
export function conforms(program: string, count = 1): void {
  if (!programs.has(program)) throw new Error(`There is no program ${program}.`);
  const { meta } = TestRunner.getCurrentTest<RunnerTestCase>();
  meta.conformance = [...(meta.conformance ?? []), { program, count, engine: inject('engine') }];
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The page that has the results of the last run. */
export const CONFORMANCE_PAGE = `${ROOT}docs/conformance.md`;

const INTRODUCTION = `# Conformance

Programs of other authors that check the gateway. \`.ci/night conformance\` runs them against a real server, and writes this
page when all have passed. A case with another result than its program expects is an exception, of which the page has the
reason. Any other one fails the run, and so does an exception that has gone.
`;

/** Returns the page with these results. The versions are those that are pinned. */
export function conformancePage(results: ReadonlyMap<string, Conformance>): string {
  const pinned: Readonly<Record<string, string>> = Object.assign(
    {},
    ...['test', 'test/conformance'].map(
      (folder) => JSON.parse(readFileSync(`${ROOT}${folder}/package.json`, 'utf8')).dependencies,
    ),
  );
  const rowOf = (name: string, { npm = name, runs, unit, exceptions = {} }: Program) => {
    const { count, engines } = results.get(name) ?? { count: 0, engines: '' };
    const failed = Object.keys(exceptions).length;
    const passed = failed === 0 ? count : `${count - failed} of ${count}`;
    return `| ${name} | \`${npm}\` ${pinned[npm]} | ${runs} | ${unit}: ${passed} | ${engines} |`;
  };
  const sections = Object.entries(PROGRAMS).map(([api, ofApi]) => [
    `\n## ${api}\n`,
    '| program | package | what it runs | passed | engine |',
    '| --- | --- | --- | --- | --- |',
    ...Object.entries(ofApi).map(([name, program]) => rowOf(name, program)),
  ]);
  const exceptions = [...programs].flatMap(([name, program]) =>
    Object.entries(program.exceptions ?? {}).map(([id, reason]) => `| ${name} | ${id} | ${reason} |`),
  );
  const table = ['\n## Exceptions\n', '| program | case | reason |', '| --- | --- | --- |', ...exceptions];
  return `${INTRODUCTION}${[...sections, table].flat().join('\n')}\n`;
}

/** Returns the results that the page has. */
export function resultsOf(page: string): ReadonlyMap<string, Conformance> {
  const rows = page.matchAll(/^\| (.+?) \| `\S+` \S+ \| .+ \| \w+: (?:\d+ of )?(\d+) \| (.+) \|$/gm);
  return new Map(
    [...rows].map(([, name = '', count, engines = '']) => [name, { count: Number(count), engines }]),
  );
}
