import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { COMMANDS, quote, REST, textsOf } from '../../../console/app/request-texts.ts';
import { appCommands } from '../../../src/commands/app-commands.ts';
import { auditList } from '../../../src/commands/audit-list.ts';
import { projectCommands } from '../../../src/commands/project-commands.ts';
import { tokenCommands } from '../../../src/commands/token-commands.ts';
import { walletCommands } from '../../../src/commands/wallet-commands.ts';
import contract from '../../../src/rest/generated/openapi.json' with { type: 'json' };

const PROGRAMS = [...projectCommands, ...walletCommands, ...appCommands, ...tokenCommands, auditList];

const VIEWER = { account: 'accounts/A', project: { name: 'projects/P' } };

const SITE = { url: 'http://gateway', command: 'paw', viewer: VIEWER };

const UPDATE =
  'mutation UpdateWallet($input: UpdateWalletInput!) { updateWallet(input: $input) { wallet { name } } }';

const WORDS = [
  ...[
    '',
    'plain',
    '-x',
    "'",
    "''",
    `it's "so"`,
    '$HOME',
    '`id`',
    '\\',
    "\\'",
    'a\nb\n',
    '!!',
    '*',
    '~',
    '#',
    '=ls',
  ],
  ...['é', '👩‍🚀', '\u202e', '\u2028', '\t', ';ls', 'a b', '%s', '{a,b}', '[a]', '?', '\u007f'],
];

/** Returns the words that a shell makes of a text. */
function wordsOf(text: string, variables: Readonly<Record<string, string>> = {}): readonly string[] {
  const output = execFileSync('sh', ['-c', `printf '%s\\0' ${text}`], { env: variables, encoding: 'utf8' });
  return output.split('\0').slice(0, -1);
}

test('a shell reads a quoted word as it is', () => {
  expect(wordsOf(WORDS.map(quote).join(' '))).toEqual(WORDS);
});

test('a shell sends each text, and a password from a variable that a text does not imitate', () => {
  const title = `"password":"$PASSWORD" ${WORDS.join(' ')}`;
  const input = { name: 'wallets/W', title, password: 'secret', ifMatch: 'E' };
  const body = JSON.stringify({ query: UPDATE, variables: { input } });
  const texts = textsOf(
    ['./graphql', body, { 'idempotency-key': 'K', authorization: 'Bearer secret' }],
    SITE,
  );
  expect(Object.keys(texts)).toEqual(['GraphQL', 'Variables', 'curl', 'REST']);
  expect(Object.values(texts).join()).not.toContain('secret');
  const variables = { PAW_TOKEN: 'T', PASSWORD: 'P' };
  const [, , method, url, , token, , key, ...others] = wordsOf(texts['curl'] ?? '', variables);
  expect([method, url, token, key]).toEqual([
    'POST',
    'http://gateway/graphql',
    'Authorization: Bearer T',
    'Idempotency-Key: K',
  ]);
  expect(JSON.parse(others.at(-1) ?? '').variables.input).toEqual({ ...input, password: 'P' });
  const rest = wordsOf(texts['REST'] ?? '', variables);
  expect(rest.slice(2, 4)).toEqual(['PATCH', 'http://gateway/wallet/wallets/W']);
  expect(rest).toContain('If-Match: "E"');
  expect(JSON.parse(rest.at(-1) ?? '')).toEqual({ title, password: 'P' });
});

test('a form that can’t do the same is left out', () => {
  const texts = (query: string, variables: object) =>
    Object.keys(textsOf(['./graphql', JSON.stringify({ query, variables }), {}], SITE)).slice(3);
  const list = 'query Projects($first: Int, $title: String) { projects { totalCount } }';
  const create = 'mutation CreateApp($input: CreateAppInput!) { createApp { privateKey } }';
  const app = { title: 'A', active: true };
  expect(texts(list, { first: 24 })).toEqual(['REST', 'paw']);
  expect(texts(list, { first: 24, title: 'A' })).toEqual([]);
  expect(texts(list, { last: 24 })).toEqual([]);
  expect(texts(create, { input: { ...app, project: 'projects/P' } })).toEqual(['REST', 'paw']);
  expect(texts(create, { input: { ...app, project: 'projects/Q' } })).toEqual(['paw']);
  expect(texts(create, { input: { ...app, active: false, project: 'projects/P' } })).toEqual(['REST']);
  expect(texts(UPDATE, { input: { name: 'wallets/W', reference: null } })).toEqual(['paw']);
});

test.each(Object.entries(COMMANDS))('the command of %s exists, with its options', (_, entry) => {
  const [noun, verb] = entry.split(' ');
  const program = PROGRAMS.find(({ synopsis }) => synopsis.split(' <')[0] === `${noun} ${verb}`);
  const options = [...entry.matchAll(/ --([a-z-]+)=| (\w+)\?/g)].map(([, fixed, field]) => fixed ?? field);
  expect(Object.keys(program?.options ?? {})).toEqual(expect.arrayContaining(options));
  expect(entry.includes('{name}')).toBe(program?.synopsis.endsWith('<name>'));
  const required = Object.entries(program?.options ?? {}).filter(([, { required }]) => required);
  expect(options).toEqual(expect.arrayContaining(required.map(([name]) => name)));
});

test.each(Object.entries(REST))('the REST operation of %s exists, with its fields', (_, entry) => {
  const [method = '', path = '', ...fields] = entry.split(' ');
  const operations = Object.entries(contract.paths).flatMap(([of, methods]) =>
    Object.entries<object>(methods).map(([each, operation]) => [`${each} ${of}`, operation] as const),
  );
  const [template = ''] = path.replace('{name}', '{wallet_name}').split('?');
  const operation = operations.find(([name]) => name === `${method.toLowerCase()} ${template}`)?.[1];
  const { requestBody } = JSON.parse(JSON.stringify(operation));
  const properties = Object.keys(requestBody?.content['application/json'].schema.properties ?? {});
  expect(properties.toSorted()).toEqual(fields.map((field) => field.slice(0, -1)).toSorted());
});
