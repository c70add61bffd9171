import { beforeAll, expect, test } from 'vitest';
import { begin, Call } from '../../../src/data/operation/call.ts';
import type { Caller } from '../../../src/model/caller.ts';
import { valuesIf } from '../../../src/storage/port/change.ts';
import type { Change, Database } from '../../../src/storage/port/database.ts';
import { credentialParts, ulidOf } from '../../support/actors.ts';
import { seedTenant, useGateway } from '../../support/gateway.ts';
import { RULES } from '../../support/operation-rules.ts';

const gateway = useGateway();

const ADD = 'INSERT INTO item (id) VALUES (1)';

const ADDITION: Change = {
  sql: (_, condition) => `INSERT INTO item (id) ${valuesIf(['1'], condition)} RETURNING id`,
  params: [],
};

let caller: Caller;

beforeAll(async () => {
  await gateway.database.write('CREATE TABLE item (id INTEGER)');
  const { token, projects } = await seedTenant(gateway);
  const { accountId, id } = credentialParts(token);
  const project = { projectId: ulidOf(projects[0] ?? ''), isOneProject: false };
  caller = {
    principal: {
      accountId,
      tokenId: id,
      appId: undefined,
      makerTokenId: undefined,
      ...project,
      isReadOnly: false,
    },
    client: { requestId: '', address: '127.0.0.1', startMs: performance.now() },
  };
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
    const run = (dependencies: { readonly database: Database; readonly clock: () => number }) =>
      change(begin(new Call(dependencies, caller), { caller: 'any', changes: true }).database);
    const items = async () => (await database.read('SELECT id FROM item')).length;
    const before = await items();
    const afterEnd = run({ database, clock: () => Number.MAX_SAFE_INTEGER });
    await expect(afterEnd).rejects.toMatchObject({ reason: 'TOKEN_INVALID' });
    expect(await items()).toBe(before);
    await run({ database, clock });
    expect(await items()).toBe(before + 1);
  },
);

test('of the changes, signing out alone succeeds with a token that has ended', () => {
  const rules = Object.entries(RULES).filter(([, { alsoAfterEnd }]) => alsoAfterEnd);
  expect(rules.map(([name]) => name)).toEqual(['signOut']);
});
