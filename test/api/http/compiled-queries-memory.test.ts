// @module-tag night/memory

import { expect, test } from 'vitest';
import { postGraphql } from '../../support/both-apis.ts';
import { seedDatabase, testDatabase } from '../../support/gateway.ts';
import { startServerProcess } from '../../support/run-command.ts';

const FIELDS = Array.from({ length: 190 }, (_, n) => `_${n.toString(36)}:level`).join(' ');

// V8 keeps compiled code that is not used any more until it needs the memory, so that the heap itself can't be compared.
test('a server with a heap of 128 MB goes on, however many queries it compiles for a token', async () => {
  const { url } = await testDatabase();
  const { token } = await seedDatabase(url);
  const server = await startServerProcess({ DATABASE_URL: url, NODE_OPTIONS: '--max-old-space-size=128' });
  // Each takes about 400 KB.
  for (let n = 0; n < 500; n += 1) {
    const query = `{viewer{n${n}:level ${FIELDS}}}`;
    for (let times = 0; times < 2; times += 1) {
      const { status } = await postGraphql(server.url, token, query);
      expect(status).toBe(200);
    }
  }
});
