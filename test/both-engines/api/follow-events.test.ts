import { expect, test } from 'vitest';
import { createApp, keyOf, resultOf, ulidOf } from '../../support/actors.ts';
import { graphqlApi } from '../../support/apis.ts';
import { Follower, impatientFollower } from '../../support/follow-events.ts';
import { seedTenant, testGateway } from '../../support/gateway.ts';

// The clocks of the instances differ by less than a minute.
const DIFFERENCE_MS = 59_000;

const ROUNDS = 30;

const EVENTS = 'SELECT id, event_count FROM audit_event WHERE account_id = $1 ORDER BY id';

test('the program in docs/api.md gets each event of two instances once, with its final count, though their clocks differ', async () => {
  const first = await testGateway();
  const clock = Object.assign(() => first.clock() - DIFFERENCE_MS, { advance: first.clock.advance });
  const second = await testGateway({ DATABASE_URL: first.databaseUrl }, clock);
  const tenant = await seedTenant(first, { wallets: 2 });
  const apis = [first, second].map(({ url }) => graphqlApi(() => url));
  const key = keyOf(
    await createApp(
      graphqlApi(() => first.url),
      tenant.token,
    ),
  );
  const follower = new Follower(tenant.token);
  const impatient = impatientFollower(tenant.token);

  for (let round = 0; round < ROUNDS; round += 1) {
    const [wallet = ''] = tenant.wallets.slice(round % 2);
    const writers = apis.flatMap((api) => [
      resultOf(api.updateWallet(tenant.token, wallet, { title: `Round ${round}` })),
      resultOf(api.signIn(tenant.token, key)),
      createApp(api, tenant.token),
    ]);
    await Promise.all([...writers, follower.poll(round % 3 === 0 ? second : first)]);
    await impatient.poll(first);
    first.clock.advance(7000);
  }
  first.clock.advance(200_000);
  for (const each of [follower, impatient]) await each.poll(second);

  const rows = await first.database.read(EVENTS, [ulidOf(tenant.account)]);
  const events = rows.map(({ id, event_count }) => ({ id: `events/${id}`, count: event_count }));
  expect(follower.events.map(({ id, count }) => ({ id, count }))).toEqual(events);
  // Without `settled`, events are missed.
  const ids = new Set(impatient.events.map(({ id }) => id));
  expect(events.filter(({ id }) => !ids.has(id)).length).toBeGreaterThan(0);
});
