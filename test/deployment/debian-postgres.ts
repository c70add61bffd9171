import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { startProgram } from '../support/run-command.ts';

const USER = 'paw';

/** A PostgreSQL server of Debian, which has `pg_dump` and `pg_restore`. */
export type DebianPostgres = {
  urlOf(database: string): string;
  /** Writes a dump of a database to a file. */
  dump(database: string, file: string): Promise<void>;
  /** Creates a database from a dump, and returns its URL. */
  restore(file: string): Promise<string>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
};

/** Creates a cluster and starts its server on a free port. */
export async function startDebianPostgres(): Promise<DebianPostgres> {
  await using opening = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'paw-test-debian-'));
  opening.defer(() => rmSync(folder, { recursive: true }));
  const bin = globSync('/usr/lib/postgresql/*/bin').sort().at(-1) ?? '';
  const port = await freePort();
  const run = async (...words: string[]) => {
    const { status, stderr } = await startProgram('env', words, {
      PATH: `${bin}:${process.env['PATH']}`,
      PGHOST: '127.0.0.1',
      PGPORT: String(port),
      PGUSER: USER,
      PGDATA: join(folder, 'data'),
    }).ended;
    expect({ words, status, stderr }).toEqual({ words, status: 0, stderr: '' });
  };
  // PostgreSQL does not run as root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await run('chown', 'postgres', folder);
  const runAsUser = (...words: string[]) =>
    run(...(isRoot ? ['runuser', '-u', 'postgres', '--'] : []), ...words);
  await runAsUser('initdb', '--auth=trust', '--encoding=UTF8', '--no-sync', `--username=${USER}`);
  // The data need not survive a crash of the machine, and a slow disk would let writes wait for longer than their deadline.
  const options = `-c unix_socket_directories= -c port=${port} -c fsync=off`;
  await runAsUser('pg_ctl', 'start', '--wait', `--log=${folder}/log`, `--options=${options}`);
  opening.defer(() => runAsUser('pg_ctl', 'stop', '--mode=immediate'));
  const open = opening.move();
  const urlOf = (database: string) => `postgres://${USER}@127.0.0.1:${port}/${database}`;
  let restored = 0;
  return {
    urlOf,
    dump: (database, file) => run('pg_dump', '--no-sync', '--format=custom', `--file=${file}`, database),
    async restore(file) {
      restored += 1;
      const database = `restored_${restored}`;
      await run('createdb', database);
      await run('pg_restore', '--exit-on-error', '--no-owner', `--dbname=${database}`, file);
      return urlOf(database);
    },
    stop: () => open.disposeAsync(),
  };
}
