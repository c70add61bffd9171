import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';

// Makes the durable updates of the benchmark one by one, without a server. Each input line is a
// duration in seconds. The output line is the number of updates per second.

const database = new DatabaseSync(process.env['DATABASE_FILE'] ?? '');
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000');
const update = database.prepare(
  'UPDATE wallet SET title = ?, update_time_ms = ? WHERE account_id = ? AND id = ?',
);
const wallets = database.prepare('SELECT account_id, id FROM wallet').all();

console.log(JSON.stringify({ url: '' }));
for await (const [seconds] of lines()) {
  const end = performance.now() + Number(seconds) * 1000;
  let count = 0;
  while (performance.now() < end) {
    const wallet = wallets[count % wallets.length];
    update.run(`Title ${count}`, Date.now(), String(wallet?.['account_id']), String(wallet?.['id']));
    count += 1;
  }
  console.log(count / Number(seconds));
}

async function* lines(): AsyncGenerator<[string]> {
  for (;;) {
    const [chunk] = await once(process.stdin, 'data');
    yield [String(chunk)];
  }
}
