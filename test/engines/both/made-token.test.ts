import { expect, test } from 'vitest';
import { write } from '../../../src/storage/port/change.ts';
import { type NewTokenRow, newTokenChange } from '../../../src/storage/tokens.ts';
import { credentialParts, ulidOf } from '../../support/actors.ts';
import { useGateway, useTenant } from '../../support/gateway.ts';
import { rowsOf } from '../../support/rows.ts';

const gateway = useGateway();
const tenant = useTenant(gateway);

const tokenIds = async () => (await rowsOf(gateway.database, 'token', tenant.account)).map(({ id }) => id);

/** Inserts two tokens in a transaction: one that was made by the other, and then that one. */
function insert(made: NewTokenRow, maker: NewTokenRow): Promise<unknown> {
  return gateway.database.transaction(async (transaction) => {
    await write(transaction, newTokenChange(made));
    await write(transaction, newTokenChange(maker));
  });
}

// A copy inserts rows in the order of their ids, and the clocks of two servers differ.
test('a token can be stored before its maker in a transaction, and not without it', async () => {
  const { accountId, id } = credentialParts(tenant.token);
  const token: NewTokenRow = {
    account_id: accountId,
    id: gateway.admin.newId(),
    project_id: ulidOf(tenant.project),
    app_id: null,
    app_key_id: null,
    maker_token_id: null,
    hash: '',
    title: '',
    is_one_project: 0,
    is_read_only: 0,
    expire_time_ms: gateway.clock() + 1000,
  };
  const maker = { ...token, id: gateway.admin.newId() };
  await expect(insert({ ...token, maker_token_id: gateway.admin.newId() }, maker)).rejects.toThrow();
  expect(await tokenIds()).toEqual([id]);
  await insert({ ...token, maker_token_id: maker.id }, maker);
  expect(await tokenIds()).toEqual([id, token.id, maker.id]);
});
