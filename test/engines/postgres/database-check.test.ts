import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { restApi } from '../../support/apis.ts';
import { executeOn } from '../../support/engine.ts';
import { freePort } from '../../support/free-port.ts';
import { type Gateway, seedTenant, testClock, testGateway } from '../../support/gateway.ts';
import { readMetric } from '../../support/metrics.ts';
import { logLines } from '../../support/paw.ts';

/** Lets a minute pass for the checks of the gateways of the test. */
const passMinute = () => vi.advanceTimersByTime(60_000);

/** Starts a gateway whose checks are made when the test lets a minute pass. */
async function start(clock = testClock()) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const port = await freePort();
  const gateway = await testGateway({ PAW_METRICS_PORT: String(port) }, clock);
  // Before the stop, which needs an interval.
  onTestFinished(() => void vi.useRealTimers());
  const read = async (name: string) => (await readMetric(port, name))[''];
  return { gateway, read };
}

/** Returns the levels and the messages of the lines about a subject. */
const linesAbout = (gateway: Gateway, subject: string) =>
  logLines(gateway.log())
    .filter(({ msg }) => msg?.includes(subject))
    .map(({ level, msg }) => [level, msg]);

test.each([60_000, -60_000])(
  'a clock that differs by %d ms from that of the database is measured, and logged once until it agrees again',
  async (differenceMs) => {
    const clock = testClock();
    clock.advance(differenceMs);
    const { gateway, read } = await start(clock);
    const differs = [40, 'the clock differs from that of the database'];
    const measured = () => read('paw_clock_difference_seconds');
    await expect.poll(measured).not.toBe(0);
    const first = Number(await measured());
    // The clock of the test stands still.
    expect(first).toBeLessThanOrEqual(differenceMs / 1000);
    expect(Math.abs(first)).toBeGreaterThan(5);
    passMinute();
    await expect.poll(measured).toBeLessThan(first);
    expect(linesAbout(gateway, 'the clock')).toEqual([differs]);

    const agrees = [30, 'the clock agrees with that of the database'];
    clock.advance(Date.now() - clock());
    passMinute();
    await expect.poll(() => linesAbout(gateway, 'the clock')).toEqual([differs, agrees]);
    expect(Math.abs(Number(await measured()))).toBeLessThan(5);
  },
);

test('new connections that fail are counted, and logged once until they succeed again, while requests use the old ones', async () => {
  const { gateway, read } = await start();
  const { token } = await seedTenant(gateway);
  const list = () => restApi(() => gateway.url).listProjects(token);
  const failures = () => read('paw_postgres_connection_failures_total');
  const lines = () => linesAbout(gateway, 'new connection');
  const allow = (isAllowed: boolean) => {
    const name = new URL(gateway.databaseUrl).pathname.slice(1);
    return executeOn(inject('postgresUrl'), `ALTER DATABASE ${name} ALLOW_CONNECTIONS ${isAllowed}`);
  };
  await list();
  expect(await failures()).toBe(0);
  // The first metrics have begun to read the database.
  await expect.poll(() => read('paw_tokens')).toBe(1);
  await allow(false);
  const fail = [50, 'no new connection to the database can be opened'];
  for (const count of [1, 2]) {
    passMinute();
    await expect.poll(failures).toBe(count);
    expect(lines()).toEqual([fail]);
    expect((await list()).response.status).toBe(200);
  }
  await allow(true);
  passMinute();
  await expect.poll(lines).toEqual([fail, [30, 'new connections to the database can be opened again']]);
  expect(await failures()).toBe(2);
});
