/**
 * Writes to a database, and prints a line for each acknowledged write.
 *
 * Arguments: the path of the file, the number of writes, and `no-sync` to omit the syncs.
 */
import fs, { writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { openDatabase } from '../../src/storage/open-database.ts';

const WRITERS = 8;

// Rows are large, so that a short run fills the log and causes a checkpoint.
const PAYLOAD = 'x'.repeat(12_000);

const [path = '', count = '0', sync = ''] = process.argv.slice(2);

const INSERT = 'INSERT INTO item (id, part, payload) VALUES ($1, $2, $3)';

if (sync === 'no-sync') {
  const skip = (_file: number, done: (error: null) => void) => setImmediate(done, null);
  Object.assign(fs, { fdatasync: skip });
  syncBuiltinESMExports();
}

const database = await openDatabase(`sqlite:${path}`);
await database.write('CREATE TABLE item (id INTEGER, part INTEGER, payload TEXT, PRIMARY KEY (id, part))');
writeSync(1, 'start\n');

let next = 0;
await Promise.all(
  Array.from({ length: WRITERS }, async () => {
    while (next < Number(count)) {
      const id = next;
      next += 1;
      await database.transaction(async (transaction) => {
        for (const part of [0, 1]) await transaction.write(INSERT, [id, part, PAYLOAD]);
      });
      writeSync(1, `${id}\n`);
    }
  }),
);
// The process ends without closing anything, as in a power cut.
process.exit();
