import { expect, test } from 'vitest';
import { createToken } from '../../../src/data/tokens/create-token.ts';
import type { Database, Queryable } from '../../../src/storage/interface/database.ts';
import { findToken } from '../../../src/storage/tables/tokens.ts';
import { clientCall, useGateway, useTenant } from '../../support/gateway.ts';
import { accountToken, credentialParts, mutate, payloadOf, tokenNameOf } from '../../support/requests.ts';
import { deleteRow, rowsOf, setRow } from '../../support/rows.ts';
import { whileLocked } from '../../support/while-locked.ts';

const gateway = useGateway();
const tenant = useTenant(gateway);

const tokenNames = async () =>
  (await rowsOf(gateway.database, 'token', tenant.account)).map(({ id }) => `tokens/${id}`);

test('a token whose maker is revoked while it is created ends with it', async () => {
  const maker = await accountToken(gateway, tenant);
  const { accountId, id: tokenId } = credentialParts(maker);
  const row = await findToken(gateway.database, accountId, tokenId);
  const principal = {
    ...{
      accountId,
      tokenId,
      appId: undefined,
      makerTokenId: undefined,
      projectId: row?.project_id ?? accountId,
    },
    ...{ isOneProject: false, isReadOnly: false, title: '' },
  };
  const create = (transaction: Queryable) => {
    const database: Database = { ...gateway.database, transaction: (work) => work(transaction) };
    return createToken(clientCall({ ...gateway.operator, database }, principal), { title: 'Late' });
  };
  const revoke = () => mutate(gateway.url, tenant.token, 'revokeToken', { id: tokenNameOf(maker) });
  expect(await whileLocked(gateway.database, create, revoke)).not.toHaveProperty('errors');
  expect(await tokenNames()).toEqual([tokenNameOf(tenant.token)]);
});

test('a token can not be created while its maker is revoked', async () => {
  const maker = await accountToken(gateway, tenant);
  // So that no write of its last use waits for the lock, too.
  await setRow(gateway.database, tokenNameOf(maker), { last_use_time_ms: Date.now() });
  const revoke = (transaction: Queryable) => deleteRow(transaction, tokenNameOf(maker));
  const create = () => payloadOf(gateway.url, maker, 'createToken', { title: 'Late' }, 'accessToken');
  expect(await whileLocked(gateway.database, revoke, create)).toMatchObject({ reason: 'TOKEN_INVALID' });
  expect(await tokenNames()).toEqual([tokenNameOf(tenant.token)]);
});
