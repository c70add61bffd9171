import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { graphqlApi } from '../../support/both-apis.ts';
import { executeOn } from '../../support/engine.ts';
import { migrateDatabase, seedTenant, testDatabase, testFolder, useGateway } from '../../support/gateway.ts';
import { createApp, keyOf, reasonOf, signIn, tokenStatus } from '../../support/requests.ts';
import { pawInShell, pawJson, pawProcess, type Settings } from '../../support/run-command.ts';

const gateway = useGateway();

/** Returns a section of a page of the documentation. */
function sectionOf(page: string, title: string): string {
  const text = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8');
  return text.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? '';
}

async function databaseAfter(sql: string): Promise<Settings> {
  const { url } = await testDatabase();
  await migrateDatabase(url);
  await executeOn(url, sql);
  return { DATABASE_URL: url };
}

function otherFile(): Settings {
  const file = join(testFolder(), 'paw.db');
  writeFileSync(file, 'This is a text. '.repeat(100));
  return { DATABASE_URL: `sqlite:${file}` };
}

// The lines of failed starts in the documentation, each with the settings of such a start.
const START_FAILURES: Record<string, () => Settings | Promise<Settings>> = {
  '… is not a setting.': () => ({ PAW_TOKN_TTL: '1h' }),
  '… must be …': () => ({ PAW_TRUSTED_DOCUMENTS: join(testFolder(), 'missing.json') }),
  'The database file … does not exist.': () => ({
    NODE_ENV: 'production',
    DATABASE_URL: `sqlite:${testFolder()}/paw.db`,
  }),
  'The database is unavailable: connect ECONNREFUSED …': () => ({
    DATABASE_URL: 'postgres://paw:hidden@127.0.0.1:1/paw',
  }),
  'The database is unavailable: getaddrinfo …': () => ({
    DATABASE_URL: 'postgres://paw@database.invalid/paw',
  }),
  'The database is unavailable: file is not a database.': otherFile,
  '… has a different migration … than this program. …': () =>
    databaseAfter("UPDATE schema_migration SET digest = ''"),
  '… Use a newer program.': () => databaseAfter("INSERT INTO schema_migration VALUES (9999, 9999, 0, '')"),
  'Another program uses the port …': () => ({ PORT: new URL(gateway.url).port }),
  // An address that is reserved for documentation. Source: RFC 5737.
  'HOST must be …': () => ({ HOST: '192.0.2.1' }),
};

test('docs/troubleshooting.md has the line of each of these failed starts', () => {
  const rows = sectionOf('troubleshooting.md', 'The server does not start').matchAll(/^\| `([^`]+)` \|/gm);
  expect([...rows].map(([, line]) => line)).toEqual(Object.keys(START_FAILURES));
});

test.each(Object.entries(START_FAILURES))('a start that fails prints: %s', async (line, settingsOf) => {
  const settings = { PORT: '0', DATABASE_URL: gateway.databaseUrl, ...(await settingsOf()) };
  const pattern = line.split('…').map(RegExp.escape).join('.*');
  const { status, stdout, stderr } = await pawProcess(['serve'], settings);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^paw: ${pattern}.*\n$`));
  expect(stderr).not.toContain('hidden');
});

test('"Rotate everything" in docs/troubleshooting.md replaces all tokens and keys of an account', async () => {
  const { account, token } = await seedTenant(gateway);
  const api = graphqlApi(() => gateway.url);
  const settings = { DATABASE_URL: gateway.databaseUrl };
  const created = [await createApp(api, token), await createApp(api, token)];
  const [first, second] = created.map(keyOf);
  if (first === undefined || second === undefined) throw new Error('There is no app.');
  const issued = [token, (await signIn(api, token, first)).accessToken];
  // An app with two valid keys.
  const { privateKey } = await pawJson(['app', 'rotate-key', first.name, '--grace', '1h'], settings);
  const keys = [first, { name: first.name, privateKey }, second];
  for (const key of keys) expect(await reasonOf(api.signIn(token, key))).toBe('ok');

  await pawJson(['account', 'suspend', account], settings);
  const folder = testFolder();
  const [, lines = ''] = /```sh\n(.*?)```/s.exec(sectionOf('troubleshooting.md', 'Rotate everything')) ?? [];
  const script = `set -eu; cd '${folder}'; node=$1; main=$2; paw() { "$node" "$main" "$@"; }
${lines.replace('accounts/<ULID>', account)}`;
  expect(await pawInShell(script, [], settings)).toMatchObject({ status: 0, stderr: '' });
  await pawJson(['account', 'resume', account], settings);

  for (const each of issued) expect(await tokenStatus(api, each)).toBe('TOKEN_INVALID');
  const { accessToken } = JSON.parse(readFileSync(join(folder, 'token.json'), 'utf8'));
  for (const key of keys) expect(await reasonOf(api.signIn(accessToken, key))).toBe('INVALID_CREDENTIALS');
  const replaced = readFileSync(join(folder, 'keys.jsonl'), 'utf8').trimEnd().split('\n');
  const apps = replaced.map((line) => keyOf(JSON.parse(line)));
  expect(apps.map(({ name }) => name).sort()).toEqual([first.name, second.name].sort());
  for (const app of apps) expect(await reasonOf(api.signIn(accessToken, app))).toBe('ok');
});
