import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { testFolder, useGateway } from '../../support/gateway.ts';
import { MAIN, startProgram } from '../../support/run-command.ts';
import { codeBlocks, compile } from './documented.ts';

const gateway = useGateway();

const blocks = (language: string, ...titles: readonly string[]) =>
  titles.map((title) => codeBlocks(title, language, 'use-case').join('')).join('');

test('the programs and the lines of docs/use-case.md run unchanged, from the address of a wallet to its audit', async () => {
  const folder = testFolder();
  await compile(folder, {
    'custody.ts': blocks('ts', 'Custody provider'),
    'backend.ts': blocks('ts', 'Back end'),
    'app.ts': blocks('ts', 'App'),
  });
  const CUSTODY = `http://127.0.0.1:${await freePort()}`;
  const custody = startProgram(process.execPath, ['custody.ts'], { CUSTODY }, folder);
  onTestFinished(async () => void (await custody.stop('SIGTERM')));
  await custody.printed('Custody at ');

  const lines = blocks('sh', 'Account and tokens', 'Job', 'Back end', 'App', 'Audit', 'Job')
    .replace('http://127.0.0.1:4000', gateway.url)
    .replace('http://127.0.0.1:4100', CUSTODY);
  const script = `paw() { node '${MAIN}' "$@"; }\n${lines}`;
  const settings = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    DATABASE_URL: gateway.databaseUrl,
    NODE_OPTIONS: '--conditions=development',
  };
  const bash = ['--norc', '-euo', 'pipefail', '-c', script];
  const { status, stdout, stderr } = await startProgram('bash', bash, settings, folder).ended;
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const [filled, created = '', updated = '', audit, ...rest] = stdout.split('\n');
  expect([filled, ...rest]).toEqual(['Added 100 addresses.', 'Added 1 address.', '']);
  const { isNew, wallet } = JSON.parse(created);
  expect(isNew).toBe(true);
  expect(JSON.parse(updated)).toMatchObject({ ...wallet, title: 'Ada Lovelace', network: 'NETWORK_POLYGON' });
  expect(`${audit}\n`).toBe(blocks('json', 'Audit'));
});
