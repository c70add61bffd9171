import { readFileSync } from 'node:fs';

const TEXT = readFileSync(new URL('../../../docs/clients.md', import.meta.url), 'utf8');

/** The sections of `docs/clients.md`, by title: one for each client library. */
export const clientSections: ReadonlyMap<string, string> = new Map(
  TEXT.split(/^## /m)
    .slice(1)
    .map((section) => {
      const end = section.indexOf('\n');
      return [section.slice(0, end), section.slice(end + 1)];
    }),
);

/** The code blocks of a section that are marked with a language. */
export function codeBlocks(title: string, language: string): readonly string[] {
  const blocks = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms');
  return [...(clientSections.get(title) ?? '').matchAll(blocks)].map(([, code = '']) => code);
}
