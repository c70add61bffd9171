// @module-tag needs/strace

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type HttpResponse, mutationDocument, postGraphql, send } from '../../support/both-apis.ts';
import { onDatabase } from '../../support/engine.ts';
import { seedDatabase, testDatabase } from '../../support/gateway.ts';
import { credentialParts } from '../../support/requests.ts';
import { rowOf, setRow } from '../../support/rows.ts';
import { listening, startProgram } from '../../support/run-command.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.js', import.meta.url));

const TITLE = { title: 'Lost' };

const MUTATION = mutationDocument('updateWallet', 'wallet { title }');

const KEY = { 'idempotency-key': 'key' };

test.each<[string, (url: string, token: string, name: string) => Promise<HttpResponse>]>([
  ['REST', (url, token, name) => send(`${url}/wallet/${name}`, 'PATCH', token, TITLE)],
  [
    'GraphQL with a key',
    (url, token, name) => postGraphql(url, token, MUTATION, { input: { name, ...TITLE } }, KEY),
  ],
])(
  'a failed sync ends the server with one line, and the write by %s, which was made, is RESULT_UNKNOWN',
  async (_, update) => {
    const { url: databaseUrl } = await testDatabase();
    const { token, wallet } = await seedDatabase(databaseUrl, { wallets: 1 });
    // Otherwise the server would write the first use of the token, which could fail before the write of the request.
    await onDatabase(databaseUrl, (own) =>
      setRow(own, `tokens/${credentialParts(token).id}`, { last_use_time_ms: Date.now() }),
    );

    // A server that starts on a current database writes nothing.
    const inject = ['--trace=fdatasync', '--inject=fdatasync:error=EIO'];
    const words = ['--follow-forks', '--seccomp-bpf', '--output=/dev/null', ...inject];
    const settings = { PATH: String(process.env['PATH']), PORT: '0', DATABASE_URL: databaseUrl };
    const server = await listening(
      startProgram('strace', [...words, process.execPath, MAIN, 'serve'], settings),
    );
    const { status, text } = await update(server.url, token, wallet);
    expect(text).toContain('"reason":"RESULT_UNKNOWN"');
    expect(text).toContain('"status":"UNAVAILABLE"');
    expect(status).toBe(503);
    expect(await server.ended).toMatchObject({
      status: 1,
      stderr: 'paw: The write-ahead log could not be synced: EIO: i/o error, fdatasync\n',
    });
    expect(await onDatabase(databaseUrl, (own) => rowOf(own, wallet))).toMatchObject(TITLE);
  },
);
