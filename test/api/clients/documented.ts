import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { startProgram } from '../../support/run-command.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The folder of the packages of the tests. */
export const MODULES = join(ROOT, 'test/node_modules');

/** The sections of a page of the documentation, by title. */
function sectionsOf(page: string): ReadonlyMap<string, string> {
  const sections = readFileSync(join(ROOT, `docs/${page}.md`), 'utf8').split(/^## /m);
  return new Map(
    sections.slice(1).map((section) => {
      const end = section.indexOf('\n');
      return [section.slice(0, end), section.slice(end + 1)];
    }),
  );
}

/** The sections of `docs/clients.md`, by title: one for each client library. */
export const clientSections = sectionsOf('clients');

/** The code blocks of a section that are marked with a language. */
export function codeBlocks(title: string, language: string, page = 'clients'): readonly string[] {
  const blocks = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms');
  return [...(sectionsOf(page).get(title) ?? '').matchAll(blocks)].map(([, code = '']) => code);
}

/** Writes programs in TypeScript into a folder, in which they find the packages of the tests, and compiles them. */
export async function compile(folder: string, programs: Readonly<Record<string, string>>): Promise<void> {
  symlinkSync(MODULES, join(folder, 'node_modules'));
  const compilerOptions = {
    typeRoots: [join(ROOT, 'node_modules/@types')],
    customConditions: ['development'],
  };
  const include = Object.keys(programs);
  const files = {
    ...programs,
    'package.json': '{"type":"module"}',
    'tsconfig.json': JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, include }),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const settings = { PATH: String(process.env['PATH']) };
  const compiled = await startProgram(process.execPath, [compiler], settings, folder).ended;
  expect(compiled).toEqual({ status: 0, stdout: '', stderr: '' });
}
