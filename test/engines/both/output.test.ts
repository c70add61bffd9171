// @module-tag night/slow

import { beforeAll, expect, test } from 'vitest';
import { type AppFields, restApi } from '../../support/both-apis.ts';
import { textOf } from '../../support/engine.ts';
import { seedTenant, useGateway, useTenant } from '../../support/gateway.ts';
import { createApp } from '../../support/requests.ts';
import { pawInShell } from '../../support/run-command.ts';

// The reader of a FIFO is closed before the command starts.
const CLOSED_PIPE =
  'd=$(mktemp -d); mkfifo $d/pipe; exec 3<>$d/pipe 4>$d/pipe 3<&-; rm -r $d; exec "$@" >&4 4>&-';

const FULL = "Standard output can't be written: no space left on device.";

const gateway = useGateway();
const tenant = useTenant(gateway);
let app: AppFields;

beforeAll(async () => {
  app = await createApp(
    restApi(() => gateway.url),
    tenant.token,
  );
});

const run = (script: string, ...words: string[]) =>
  pawInShell(script, words, { DATABASE_URL: gateway.databaseUrl });

// Each command makes a secret, and each way is one of losing it.
test.each<[way: string, script: string, status: number, words: () => string[], stderr: string]>([
  [
    'a full disk',
    '"$@" > /dev/full',
    1,
    () => ['token', 'create', '--account', tenant.account],
    `paw: ${FULL} Nothing was changed.\n`,
  ],
  [
    'a closed descriptor',
    '"$@" >&-',
    1,
    () => ['app', 'rotate-key', app.name],
    "paw: Standard output can't be written: it is closed, or the null device. Nothing was changed.\n",
  ],
  [
    'a full disk',
    '"$@" > /dev/full',
    1,
    () => ['app', 'create', '--project', tenant.projects[0] ?? '', '--title', 'Till'],
    `paw: ${FULL} Nothing was changed.\n`,
  ],
  ['a pipe whose reader has closed it', CLOSED_PIPE, 141, () => ['init', '--title', 'Atlas'], ''],
])('a command that prints a secret to %s changes nothing', async (_, script, status, words, stderr) => {
  const before = await textOf(gateway.database);
  expect(await run(script, ...words())).toEqual({ status, stdout: '', stderr });
  expect(await textOf(gateway.database)).toBe(before);
});

test.each(['account list', 'check', 'migrate', 'help', '--version'])(
  'the command %s fails with one line if its output is lost',
  async (command) => {
    const words = command.split(' ');
    const full = await run('"$@" > /dev/full', ...words);
    expect(full).toEqual({ status: 1, stdout: '', stderr: `paw: ${FULL}\n` });
    expect(await run(CLOSED_PIPE, ...words)).toEqual({ status: 141, stdout: '', stderr: '' });
  },
);

test('with --json, lost output is an error in JSON', async () => {
  const { status, stderr } = await run('"$@" > /dev/full', 'account', 'list', '--all', '--json');
  expect([status, JSON.parse(stderr).error.message]).toEqual([1, FULL]);
});

test('an export to a disk that becomes full fails, and the file has what was written', async () => {
  const owner = await seedTenant(gateway, { wallets: 40 });
  // A file of at most 8 blocks of 512 bytes. The last write before the error is a part of a line.
  const script = 'f=$(mktemp); (ulimit -f 8; exec "$@" > $f); status=$?; cat $f; rm $f; exit $status';
  const { status, stdout, stderr } = await run(script, 'account', 'export', owner.account);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: "paw: Standard output can't be written: file too large.\n",
  });
  expect(Buffer.byteLength(stdout)).toBe(8 * 512);
  expect((await run('"$@" | cat', 'account', 'export', owner.account)).stdout.startsWith(stdout)).toBe(true);
});
