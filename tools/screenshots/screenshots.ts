/**
 * Takes the pictures of the console in README.md, one on each color scheme: `docs/console-<scheme>.png`. The sample data
 * has fixed names and times, so that a picture changes only with the console.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { chromium } from 'playwright-core';
import { readConfig } from '../../src/config.ts';
import { createToken } from '../../src/data/more/create-token.ts';
import { createSamples } from '../../src/data/operator/create-samples.ts';
import { firstUlid } from '../../src/model/resource-name.ts';
import { startServer } from '../../src/server.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { createApp, signIn } from '../../test/support/actors.ts';
import { graphqlApi } from '../../test/support/apis.ts';

const TIME_MS = Date.UTC(2026, 0, 31, 12);

const folder = mkdtempSync(join(tmpdir(), 'paw-screenshots-'));
const config = readConfig({
  PORT: '0',
  PAW_STOP_DELAY: '0s',
  DATABASE_URL: `sqlite:${join(folder, 'paw.db')}`,
});
const clock = () => TIME_MS;
const server = await startServer(config, pino({ level: 'silent' }), clock);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium' });
try {
  const token = await createSampleToken();
  const api = graphqlApi(() => server.url);
  await signIn(api, token, await createApp(api, token, { title: 'Back office' }));
  await createApp(api, token, { title: 'Till', active: false });
  for (const scheme of ['light', 'dark'] as const) await takePicture(token, scheme);
} finally {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true });
}

/** Creates the sample data. Returns an account token. */
async function createSampleToken(): Promise<string> {
  const database = await openDatabase(config.databaseUrl, config);
  let count = 0;
  const newId = () => {
    count += 1;
    return firstUlid(TIME_MS + count);
  };
  const admin = { database, clock, newId, publicUrl: () => server.publicUrl };
  try {
    const { account } = await createSamples(admin);
    return (await createToken(admin, 'operator', { account })).accessToken;
  } finally {
    await database.close();
  }
}

async function takePicture(token: string, colorScheme: 'light' | 'dark'): Promise<void> {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 800 } });
  await page.clock.setFixedTime(TIME_MS);
  await page.goto(`${server.url}/console#token=${token}`);
  await page.getByRole('link', { name: 'Atlas Studio' }).click();
  await page.getByRole('row').nth(2).waitFor();
  const path = `docs/console-${colorScheme}.png`;
  await page.screenshot({ path });
  console.log(`Wrote ${path}`);
}
