import { beforeAll, expect, test } from 'vitest';
import { begin } from '../../../src/data/call/call.ts';
import type { Principal } from '../../../src/model/caller.ts';
import type { Change, Database } from '../../../src/storage/interface/database.ts';
import { insertedRow } from '../../../src/storage/work/change.ts';
import { clientCall, seedTenant, useGateway } from '../../support/gateway.ts';
import { credentialParts } from '../../support/requests.ts';

const gateway = useGateway();

const ADD = 'INSERT INTO item (id) VALUES (1)';

const ADDITION: Change = {
  sql: (_, condition) => `INSERT INTO item (id) ${insertedRow(['1'], condition)} RETURNING id`,
  // The rows of this table have no account.
  params: [] as unknown as Change['params'],
};

let principal: Principal;

beforeAll(async () => {
  await gateway.database.write('CREATE TABLE item (id INTEGER)');
  const { accountId, id } = credentialParts((await seedTenant(gateway)).token);
  principal = { accountId, tokenId: id, isReadOnly: false } as Principal;
});

test.each<[string, (database: Database) => Promise<unknown>]>([
  ['a statement', (database) => database.write(ADD)],
  ['changes', (database) => database.writeIfFirst([ADDITION])],
  ['a transaction', (database) => database.transaction(({ write }) => write(ADD))],
  [
    'changes within the time of a request',
    (database) => database.forRequest({ startMs: performance.now() }).writeIfFirst([ADDITION]),
  ],
])(
  'an operation changes nothing by %s if the token has ended since the authentication',
  async (_, change) => {
    const { database, clock } = gateway;
    const items = async () => (await database.read('SELECT id FROM item')).length;
    const run = (now: () => number) => {
      const call = clientCall({ database, clock: now }, principal);
      return change(begin(call, { caller: 'any', changes: true }).database);
    };
    const before = await items();
    await expect(run(() => Number.MAX_SAFE_INTEGER)).rejects.toMatchObject({ reason: 'TOKEN_INVALID' });
    expect(await items()).toBe(before);
    await run(clock);
    expect(await items()).toBe(before + 1);
  },
);
