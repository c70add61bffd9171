import { expect, test } from 'vitest';
import { PasswordHasher } from '../../../src/credentials/password-hasher.ts';
import { updateWallet } from '../../../src/data/update-wallet.ts';
import { LazyTransaction } from '../../../src/storage/work/lazy-transaction.ts';
import { graphqlApi } from '../../support/both-apis.ts';
import { Follower, impatientFollower, SETTLED_MS } from '../../support/follow-events.ts';
import { seedTenant, testGateway } from '../../support/gateway.ts';
import { createApp } from '../../support/requests.ts';

test('an event that is committed after a later one of another instance is followed as well', async () => {
  const first = await testGateway();
  const second = await testGateway({ DATABASE_URL: first.databaseUrl }, first.clock);
  const tenant = await seedTenant(first, { wallets: 1 });
  first.clock.advance(SETTLED_MS);
  const follower = new Follower(tenant.token);
  const impatient = impatientFollower(tenant.token);
  for (const each of [follower, impatient]) await each.poll(second);
  const before = follower.events.length;

  const transaction = new LazyTransaction(first.database);
  const dependencies = { ...first.operator, database: transaction.database, passwords: new PasswordHasher() };
  await updateWallet(dependencies, { name: tenant.wallets[0], title: 'Held' });
  first.clock.advance(1);
  await createApp(
    graphqlApi(() => second.url),
    tenant.token,
  );
  for (const each of [follower, impatient]) await each.poll(second);
  await transaction.commit();
  first.clock.advance(SETTLED_MS);
  for (const each of [follower, impatient]) await each.poll(second);

  const actions = ({ events }: Follower) => events.slice(before).map(({ action }) => action);
  expect(actions(follower)).toEqual(['wallet.update', 'app.create']);
  // Without `settled`, it is missed.
  expect(actions(impatient)).toEqual(['app.create']);
});
