import { readFileSync } from 'node:fs';

type Caller = 'any' | 'account' | 'whole account' | 'issued by operator';

/** Returns the tokens that suffice for each mutation, query and list, from the tables of operations in docs/api.md. */
export function documentedCallers(): Readonly<Record<string, Caller>> {
  const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
  const [, section = ''] = /^## Operations\n(.*?)^## /ms.exec(page) ?? [];
  const rows = [...section.matchAll(/^\| (.*`[\w.]+.*) \|$/gm)].map(([, row = '']) => row.split(' | '));
  return Object.fromEntries(
    rows.map(([, graphql = '', ...cells]) => {
      const [, field = ''] = /`([\w.]+)/.exec(graphql) ?? [];
      const [account = '', project = ''] = cells.slice(-2);
      if (project !== '403') return [field, 'any'];
      if (!account.includes('403 with a token for one project')) return [field, 'account'];
      return [
        field,
        account.includes('or one that a token has created') ? 'issued by operator' : 'whole account',
      ];
    }),
  );
}
