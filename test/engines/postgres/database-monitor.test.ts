import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { LINES } from '../../../src/http/log/database-monitor.ts';
import { restApi } from '../../support/both-apis.ts';
import { executeOn } from '../../support/engine.ts';
import { freePort } from '../../support/free-port.ts';
import { type Gateway, seedTenant, startGateway, testClock, testGateway } from '../../support/gateway.ts';
import { readMetric } from '../../support/metrics.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import { logLines } from '../../support/run-command.ts';

/** Lets a minute pass for the checks of the gateways of the test. */
const passMinute = () => vi.advanceTimersByTime(60_000);

/** Starts a gateway whose checks are made when the test lets a minute pass. */
async function start(clock = testClock()) {
  const port = await freePort();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const starting = testGateway({ PAW_METRICS_PORT: String(port) }, clock);
  // Before the stop, which needs an interval.
  const gateway = await starting.finally(() => onTestFinished(() => void vi.useRealTimers()));
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
    const differs = [40, LINES.differs];
    const measured = () => read('paw_clock_difference_seconds');
    await expect.poll(measured).toBeDefined();
    const first = Number(await measured());
    // The clock of the test stands still.
    expect(first).toBeLessThanOrEqual(differenceMs / 1000);
    expect(Math.abs(first)).toBeGreaterThan(5);
    passMinute();
    await expect.poll(measured).toBeLessThan(first);
    expect(linesAbout(gateway, 'clock')).toEqual([differs]);

    const agrees = [30, LINES.agrees];
    clock.advance(Date.now() - clock());
    passMinute();
    await expect.poll(() => linesAbout(gateway, 'clock')).toEqual([differs, agrees]);
    expect(Math.abs(Number(await measured()))).toBeLessThan(5);
  },
);

test('a new connection that does not work is measured, and logged once until one works, while requests use the old ones', async () => {
  const { gateway, read } = await start();
  const { token } = await seedTenant(gateway);
  const list = () => restApi(() => gateway.url).listProjects(token);
  const isUp = () => read('paw_postgres_connection_up');
  const lines = () => linesAbout(gateway, 'database connections');
  const allow = (isAllowed: boolean) => {
    const name = new URL(gateway.databaseUrl).pathname.slice(1);
    return executeOn(inject('postgresUrl'), `ALTER DATABASE ${name} ALLOW_CONNECTIONS ${isAllowed}`);
  };
  await list();
  await expect.poll(isUp).toBe(1);
  // The first metrics have begun to read the database.
  await expect.poll(() => read('paw_tokens')).toBe(1);
  await allow(false);
  const fails = [50, LINES.fails];
  for (let minute = 0; minute < 2; minute += 1) {
    passMinute();
    await expect.poll(isUp).toBe(0);
    expect(lines()).toEqual([fails]);
    expect((await list()).response.status).toBe(200);
  }
  await allow(true);
  passMinute();
  await expect.poll(lines).toEqual([fails, [30, LINES.works]]);
  expect(await isUp()).toBe(1);
});

test('what a server asks of the database without requests, it asks at PAW_CHECK_INTERVAL', async () => {
  const postgres = await startPostgres('log_statement=all', 'log_connections=on');
  onTestFinished(postgres.stop);
  let port = 0;
  const scrape = () => readMetric(port, 'paw_tokens');
  /** Returns how often the server has deleted expired rows, opened a connection for a check, and measured the database. */
  const counts = (log: string) =>
    [
      'FROM idempotency_key WHERE',
      'connection authorized',
      'FROM token WHERE expire',
      'FROM address_pool',
    ].map((text) => log.split(text).length - 1);
  const start = async (interval: string) => {
    const DATABASE_URL = postgres.urlOf('postgres');
    port = await freePort();
    const settings = { DATABASE_URL, PAW_METRICS_PORT: String(port), PAW_CHECK_INTERVAL: interval };
    const begin = postgres.log().length;
    const gateway = await startGateway(settings);
    onTestFinished(gateway.stop);
    await expect
      .poll(async () => {
        await scrape();
        return counts(postgres.log().slice(begin));
      })
      .not.toContain(0);
    return gateway;
  };
  const often = await start('1s');
  const first = counts(postgres.log());
  await expect
    .poll(async () => {
      await scrape();
      return counts(postgres.log()).every((count, n) => count >= (first[n] ?? 0) + 2);
    })
    .toBe(true);
  await often.stop();

  const { database } = await start('12h');
  const begin = postgres.log().length;
  for (let n = 0; n < 20; n += 1) await scrape();
  await database.read("SELECT 'end' AS text");
  await expect.poll(() => postgres.log().slice(begin)).toContain("SELECT 'end'");
  const [deletions, , ...measurements] = counts(postgres.log().slice(begin));
  expect([deletions, ...measurements]).toEqual([0, 0, 0]);
});
