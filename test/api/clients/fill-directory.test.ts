import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { addAddresses } from '../../../src/operator/supply-addresses.ts';
import { addressLines, FIRST_LEFT, NETWORK, seedTenant, useGateway } from '../../support/gateway.ts';
import { forwarder, startHttpServer } from '../../support/http-server.ts';
import { payloadOf } from '../../support/requests.ts';
import { rowsOf } from '../../support/rows.ts';
import { startProgram } from '../../support/run-command.ts';
import { codeBlocks } from './documented.ts';

const [PROGRAM = ''] = codeBlocks('Fill the directory', 'js', 'use-case');

const gateway = useGateway();

/** Starts the program. */
const startFilling = (settings: { PAW_URL: string; PAW_TOKEN: string; FILE: string }) =>
  startProgram(process.execPath, ['--input-type=module', '--eval', PROGRAM], settings);

/** Starts a proxy of the gateway. The first requests are passed on, get no response, or are refused for a rate limit. */
async function startProxy(fates: ('passed' | 'lost' | 'limited')[]) {
  const lost = Promise.withResolvers<void>();
  const { url, stop } = await startHttpServer(async (request, response) => {
    const forward = await forwarder(request);
    const fate = fates.shift();
    if (fate === 'limited') return response.writeHead(429, { 'retry-after': '1' }).end();
    const { status, headers, body } = await forward(gateway.url + request.url);
    // The connection stays open, so that the program waits.
    if (fate === 'lost') return lost.resolve();
    return response.writeHead(status, headers).end(body);
  });
  onTestFinished(stop);
  return { url, lost: lost.promise };
}

/** Writes the file of the wallets into a new folder. @returns its path */
async function writeLines(lines: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paw-fill-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'wallets.tsv'), `${lines.join('\n')}\n`);
  return join(folder, 'wallets.tsv');
}

test('the program that fills the directory is killed and run again, and creates each wallet once', async () => {
  expect(PROGRAM.split('\n').length).toBeLessThanOrEqual(41);
  const { account, token } = await seedTenant(gateway, { addresses: 90 });
  // The longest titles and references: 30 of them fit into a request.
  const references = Array.from({ length: 100 }, (_, n) => `customer:${n}:`.padEnd(64, 'x'));
  const lines = references.map((reference) => [reference, NETWORK, '😀'.repeat(200)].join('\t'));
  const FILE = await writeLines([...lines, ['a b', NETWORK, 'Till'].join('\t')]);
  const { url, lost } = await startProxy(['passed', 'lost', 'passed', 'limited']);
  const start = () => startFilling({ PAW_URL: url, PAW_TOKEN: token, FILE });
  const counts = async () =>
    Promise.all(
      (['wallet', 'address'] as const).map(
        async (table) => (await rowsOf(gateway.database, table, account)).length,
      ),
    );

  const interrupted = start();
  await Promise.race([lost, interrupted.ended]);
  expect((await interrupted.stop('SIGKILL')).stdout).toBe('');
  expect(await counts()).toEqual([60, 30]);

  const invalid = expect.stringMatching(/^line101: reference: /);
  const second = await start().ended;
  expect(second).toMatchObject({ status: 1, stderr: '' });
  const noAddress = Array.from({ length: 10 }, (_, n) => expect.stringMatching(`^line${n + 91}: .*address`));
  expect(second.stdout.trimEnd().split('\n')).toEqual([
    '30 created, 60 found, 11 missing',
    ...noAddress,
    invalid,
  ]);
  expect(await counts()).toEqual([90, 0]);

  await addAddresses(gateway.operator, { account, network: NETWORK }, addressLines(20, FIRST_LEFT + 90));
  const [first] = await rowsOf(gateway.database, 'wallet', account);
  const archive = { name: `wallets/${first?.['id']}` };
  const archived = await payloadOf(gateway.url, token, 'archiveWallet', archive, 'wallet { archiveTime }');
  expect(archived.wallet.archiveTime).toMatch(/Z$/);
  const third = await start().ended;
  expect(third.stdout.trimEnd().split('\n')).toEqual(['10 created, 90 found, 1 missing', invalid]);
  expect(await counts()).toEqual([100, 10]);
  const wallets = await rowsOf(gateway.database, 'wallet', account);
  expect(wallets.filter(({ archived }) => archived)).toHaveLength(1);
  expect(wallets.map(({ reference }) => reference).toSorted()).toEqual(references.toSorted());
});

test('the program stops at a request with an unknown network, and names its lines', async () => {
  const { account, token } = await seedTenant(gateway, { addresses: 40 });
  const lines = Array.from({ length: 40 }, (_, n) =>
    [n, n === 34 ? 'NETWORK_X' : NETWORK, 'Till'].join('\t'),
  );
  const FILE = await writeLines(lines);
  const { status, stderr } = await startFilling({ PAW_URL: gateway.url, PAW_TOKEN: token, FILE }).ended;
  expect(status).toBe(1);
  expect(stderr).toContain('Error: line31 to line40: network: Must be one of ');
  expect(await rowsOf(gateway.database, 'wallet', account)).toHaveLength(30);
});
