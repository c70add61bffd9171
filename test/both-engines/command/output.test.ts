import { beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../support/actors.ts';
import { type AppFields, restApi } from '../../support/apis.ts';
import { textOf } from '../../support/engine.ts';
import { seedTenant, useGateway, useTenant } from '../../support/gateway.ts';
import { pawInShell } from '../../support/paw.ts';

// The reader of a FIFO is closed before the command starts.
const CLOSED_PIPE =
  'd=$(mktemp -d); mkfifo $d/pipe; exec 3<>$d/pipe 4>$d/pipe 3<&-; rm -r $d; exec "$@" >&4 4>&-';

const FULL = "Standard output can't be written: no space left on device.";

const gateway = useGateway();
const tenant = useTenant(gateway, { projects: 2 });
let app: AppFields;

beforeAll(async () => {
  app = await createApp(
    restApi(() => gateway.url),
    tenant.token,
  );
});

const run = (script: string, ...words: string[]) =>
  pawInShell(script, words, { DATABASE_URL: gateway.databaseUrl });

describe.each<[command: string, words: () => string[]]>([
  ['token create', () => ['--account', tenant.account]],
  ['app rotate-key', () => [app.name]],
  ['init', () => ['--title', 'Atlas']],
])('%s', (command, words) => {
  test.each([
    ['to a full disk', '"$@" > /dev/full', 1, `paw: ${FULL} Nothing was changed.\n`],
    [
      'to a closed descriptor',
      '"$@" >&-',
      1,
      "paw: Standard output can't be written: it is closed, or the null device. Nothing was changed.\n",
    ],
    ['to a pipe whose reader has closed it', CLOSED_PIPE, 141, ''],
  ])('%s changes nothing', async (_, script, status, stderr) => {
    const before = await textOf(gateway.database);
    expect(await run(script, ...command.split(' '), ...words())).toEqual({ status, stdout: '', stderr });
    expect(await textOf(gateway.database)).toBe(before);
  });
});

test.each<[words: () => string[]]>([
  [() => ['account', 'list']],
  [() => ['account', 'list', '--all', '--json']],
  [() => ['account', 'export', tenant.account]],
  [() => ['wallet', 'list', '--project', tenant.projects[1] ?? '']],
  [() => ['check']],
  [() => ['migrate']],
  [() => ['help']],
  [() => ['--version']],
])('a command whose output is lost fails with one line: %o', async (words) => {
  const [full, closed] = await Promise.all([
    run('"$@" > /dev/full', ...words()),
    run(CLOSED_PIPE, ...words()),
  ]);
  const { stderr, ...result } = full;
  expect(result).toEqual({ status: 1, stdout: '' });
  if (words().includes('--json')) expect(JSON.parse(stderr).error.message).toBe(FULL);
  else expect(stderr).toBe(`paw: ${FULL}\n`);
  expect(closed).toEqual({ status: 141, stdout: '', stderr: '' });
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
