import { expect, test } from 'vitest';
import { LATEST_VERSION } from '../../../src/storage/migrations/migrations.ts';
import { send } from '../../support/apis.ts';
import { testDatabase } from '../../support/gateway.ts';
import { newerProgram } from '../../support/newer-program.ts';
import { type RunningServer, startServerProcess } from '../../support/paw.ts';

const NEXT = `${String(LATEST_VERSION + 1).padStart(4, '0')}-next`;

const readiness = async ({ url }: RunningServer) => (await send(`${url}/readyz`, 'GET')).status;

test('a newer program migrates the database of a running server, and takes its place', async () => {
  const made = await testDatabase();
  const settings = { DATABASE_URL: made.url };
  const program = newerProgram(`-- compatible-from: ${LATEST_VERSION}\nCREATE TABLE note (id TEXT);\n`);
  const old = await startServerProcess(settings);

  expect(await program.run(['account', 'list'], settings)).toEqual({
    status: 1,
    stdout: '',
    stderr: `paw: The database has schema version ${LATEST_VERSION} of ${LATEST_VERSION + 1}. Run "npm run -s paw -- migrate".\n`,
  });
  expect(await program.run(['migrate', '--dry-run'], settings)).toMatchObject({
    status: 0,
    stdout: `-- The database has schema version ${LATEST_VERSION}. Its servers continue to serve.

-- ${NEXT}: about 1 s, beside the servers; a request can wait for a second
-- compatible-from: ${LATEST_VERSION}
CREATE TABLE note (id TEXT);
`,
  });
  expect(await program.run(['migrate', '--json'], settings)).toMatchObject({
    status: 0,
    stdout: `{"version":${LATEST_VERSION + 1},"applied":["${NEXT}"],"distributed":[]}\n`,
  });
  const next = await program.serve(settings);
  expect([await readiness(old), await readiness(next)]).toEqual([200, 200]);
  for (const server of [old, next]) expect(await server.stop('SIGTERM')).toMatchObject({ status: 0 });
});
