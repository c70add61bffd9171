import { describe, expect, test } from 'vitest';
import { createApp, projectTokenOf, tokenStatus, ulidOf } from '../../support/actors.ts';
import { type Api, bothApis } from '../../support/apis.ts';
import { seedTenant, useGateway } from '../../support/gateway.ts';
import { rowsOf } from '../../support/rows.ts';

const LIMIT = 3;

const SETTINGS = { PAW_APP_TOKENS: String(LIMIT) };

const gateway = useGateway(SETTINGS);
/** Another instance on the same database. */
const other = useGateway(SETTINGS, gateway);

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  const [elsewhere] = bothApis(() => other.url).filter(({ name }) => name === api.name) as [Api];

  test('a sign-in beyond the limit ends the oldest token of the app, and no other', async () => {
    const { token } = await seedTenant(gateway);
    const [app, neighbour] = [await createApp(api, token), await createApp(api, token)];
    const unaffected = await projectTokenOf(api, token, neighbour);
    const tokens: string[] = [];
    for (let count = 0; count < LIMIT + 2; count += 1) {
      tokens.push(await projectTokenOf(count % 2 ? elsewhere : api, token, app));
      gateway.clock.advance(1);
    }
    const statuses = await Promise.all([...tokens, unaffected, token].map((each) => tokenStatus(api, each)));
    const [ended, live] = [Array(2).fill('TOKEN_INVALID'), Array(LIMIT + 2).fill('ok')];
    expect(statuses).toEqual([...ended, ...live]);
  });

  test('after concurrent sign-ins on two instances, the next one leaves the limit', async () => {
    const { token } = await seedTenant(gateway);
    const app = await createApp(api, token);
    const instances = Array.from({ length: 4 * LIMIT }, (_, index) => (index % 2 ? elsewhere : api));
    const tokens = await Promise.all(instances.map((instance) => projectTokenOf(instance, token, app)));
    tokens.push(await projectTokenOf(api, token, app));
    const statuses = await Promise.all(tokens.map((each) => tokenStatus(api, each)));
    expect(statuses.filter((status) => status === 'ok')).toHaveLength(LIMIT);
    const rows = await rowsOf(gateway.database, 'token');
    expect(rows.filter(({ app_id }) => app_id === ulidOf(app.name))).toHaveLength(LIMIT);
  });
});
