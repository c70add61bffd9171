import { expect, test } from 'vitest';
import { createApp, keyOf, resultOf } from '../support/actors.ts';
import { graphqlApi } from '../support/apis.ts';
import { Follower, impatientFollower, SETTLED_MS } from '../support/follow-events.ts';
import { seedTenant, testGateway } from '../support/gateway.ts';
import { rowsOf } from '../support/rows.ts';

// The clocks of the instances differ by less than a minute.
const DIFFERENCE_MS = 59_000;

const ROUNDS = 30;

test('the program in docs/api.md gets each event of two instances once, with its final count, though their clocks differ', async () => {
  const first = await testGateway();
  const clock = Object.assign(() => first.clock() - DIFFERENCE_MS, { advance: first.clock.advance });
  const second = await testGateway({ DATABASE_URL: first.databaseUrl }, clock);
  const tenant = await seedTenant(first, { wallets: 2 });
  const [api, other] = [graphqlApi(() => first.url), graphqlApi(() => second.url)];
  const key = keyOf(await createApp(api, tenant.token));
  const follower = new Follower(tenant.token);
  const impatient = impatientFollower(tenant.token);

  for (let round = 0; round < ROUNDS; round += 1) {
    const [wallet = ''] = tenant.wallets.slice(round % 2);
    const writers = [api, other].flatMap((each) => [
      resultOf(each.updateWallet(tenant.token, wallet, { title: `Round ${round}` })),
      resultOf(each.signIn(tenant.token, key)),
      createApp(each, tenant.token),
    ]);
    await Promise.all([...writers, follower.poll(round % 3 === 0 ? second : first)]);
    await impatient.poll(first);
    first.clock.advance(14_000);
  }
  first.clock.advance(SETTLED_MS + DIFFERENCE_MS);
  for (const each of [follower, impatient]) await each.poll(second);

  const rows = await rowsOf(first.database, 'audit_event', tenant.account);
  const events = rows.map(({ id, event_count }) => ({ id: `events/${id}`, count: event_count }));
  expect(follower.events.map(({ id, count }) => ({ id, count }))).toEqual(events);
  // Without `settled`, events are missed.
  const ids = new Set(impatient.events.map(({ id }) => id));
  expect(events.filter(({ id }) => !ids.has(id)).length).toBeGreaterThan(0);
});
