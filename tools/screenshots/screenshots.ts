/**
 * Takes the pictures of README.md, one on each color scheme: `docs/console-<scheme>.png`, the projects in the console above
 * GraphiQL with a response. The sample data has fixed names and times, so that a picture changes only
 * with the pages. The port 4000 has to be free.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { chromium } from 'playwright-core';
import { readConfig } from '../../src/config.ts';
import { operatorContext } from '../../src/data/call/call.ts';
import { createToken } from '../../src/data/tokens/create-token.ts';
import { firstUlid } from '../../src/model/resource-name.ts';
import { createSamples } from '../../src/operator/create-samples.ts';
import { startServer } from '../../src/server.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { graphqlApi } from '../../test/support/both-apis.ts';
import { createApp, signIn } from '../../test/support/requests.ts';

const TIME_MS = Date.UTC(2026, 0, 31, 12);

const folder = mkdtempSync(join(tmpdir(), 'paw-screenshots-'));
const config = readConfig({
  // It is in the picture.
  PORT: '4000',
  PAW_STOP_DELAY: '0s',
  DATABASE_URL: `sqlite:${join(folder, 'paw.db')}`,
});
const clock = () => TIME_MS;
const server = await startServer(config, pino({ level: 'silent' }), { clock });
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
  const operator = { ...operatorContext(database, () => server.publicUrl, clock), newId };
  try {
    const { account } = await createSamples(operator);
    return (await createToken(operator, { account })).accessToken;
  } finally {
    await database.close();
  }
}

async function takePicture(token: string, colorScheme: 'light' | 'dark'): Promise<void> {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1120, height: 480 } });
  await page.clock.setFixedTime(TIME_MS);
  await page.goto(`${server.url}/console#token=${token}`);
  await page.getByRole('row').nth(5).waitFor();
  await page.waitForLoadState('networkidle');
  const projects = await page.screenshot();

  await page.goto(`${server.url}/graphiql`);
  await page.getByLabel('Bearer token').fill(token);
  await page.getByRole('button', { name: /^Execute/ }).click();
  await page.locator('.result-window').getByText('Atlas Studio').first().waitFor();
  const graphiql = await page.screenshot();

  const images = [projects, graphiql].map((image) => {
    const source = `data:image/png;base64,${image.toString('base64')}`;
    return `<img src="${source}" style="display: block; margin-block-end: 16px">`;
  });
  await page.setContent(`<body style="margin: 0; width: fit-content">${images.join('')}</body>`);
  const path = `docs/console-${colorScheme}.png`;
  await page.locator('body').screenshot({ path, omitBackground: true });
  console.log(`Wrote ${path}`);
}
