import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { graphqlApi } from '../../support/both-apis.ts';
import { seedTenant, testFolder, useGateway } from '../../support/gateway.ts';
import { createApp, keyOf, reasonOf, signIn, tokenStatus } from '../../support/requests.ts';
import { pawInShell, pawJson, pawProcess, type Settings } from '../../support/run-command.ts';

const gateway = useGateway();

const PAGE = readFileSync(new URL('../../../docs/troubleshooting.md', import.meta.url), 'utf8');

function otherFile(): Settings {
  const file = join(testFolder(), 'paw.db');
  writeFileSync(file, 'This is a text. '.repeat(100));
  return { DATABASE_URL: `sqlite:${file}` };
}

// What Node does on macOS.
const WITHOUT_REUSE_PORT = `--import data:text/javascript,${encodeURIComponent(`
  import { Server } from 'node:net';
  const { listen } = Server.prototype;
  Server.prototype.listen = function (options, ...others) {
    if (!options.reusePort) return listen.call(this, options, ...others);
    const error = Object.assign(new Error('listen ENOTSUP'), { syscall: 'listen', code: 'ENOTSUP', errno: -95 });
    process.nextTick(() => this.emit('error', error));
    return this;
  };`)}`;

// Lines of failed starts in docs/troubleshooting.md, each with the settings of such a start.
const START_FAILURES: Record<string, () => Settings> = {
  '… must be …': () => ({ PAW_TRUSTED_DOCUMENTS: join(testFolder(), 'missing.json') }),
  'The database is unavailable: connect ECONNREFUSED …': () => ({
    DATABASE_URL: 'postgres://paw:hidden@127.0.0.1:1/paw',
  }),
  'The database is unavailable: getaddrinfo …': () => ({
    DATABASE_URL: 'postgres://paw@database.invalid/paw',
  }),
  'The database is unavailable: file is not a database.': otherFile,
  'Another program uses the port …': () => ({ PORT: new URL(gateway.url).port }),
  'PAW_REUSE_PORT must be off: …': () => ({ PAW_REUSE_PORT: 'on', NODE_OPTIONS: WITHOUT_REUSE_PORT }),
  // An address that is reserved for documentation. Source: RFC 5737.
  'HOST must be …': () => ({ HOST: '192.0.2.1' }),
};

test.each(Object.entries(START_FAILURES))('a start that fails prints: %s', async (line, settingsOf) => {
  const settings = { PORT: '0', DATABASE_URL: gateway.databaseUrl, ...settingsOf() };
  expect(PAGE).toContain(`\n| \`${line}\` |`);
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
  const [, lines = ''] = /^## Rotate everything$.*?```sh\n(.*?)```/ms.exec(PAGE) ?? [];
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
