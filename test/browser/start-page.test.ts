import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { startSite } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';

const site = startSite();

test('the start page shows the version, the endpoints and cover images', async () => {
  const page = await site.open('/');
  await page.getByText(`Version ${manifest.version}`, { exact: true }).waitFor();
  const endpoints = await page.locator('.request p code').allInnerTexts();
  expect(endpoints).toEqual([`${site.gateway.url}/graphql`, site.gateway.url]);
  const covers = await page.evaluate<number[]>(
    `[...document.querySelectorAll('.covers img')].map(({ naturalWidth }) => naturalWidth)`,
  );
  expect(covers).toHaveLength(8);
  for (const width of covers) expect(width).toBeGreaterThan(0);
});

test('the pages link to each other', async () => {
  const page = await site.open('/');
  for (const [place, name, path] of [
    ['list', 'GraphiQL', '/graphiql'],
    ['navigation', 'REST docs', '/docs'],
    ['banner', 'PAW gateway', '/'],
    ['list', 'REST docs', '/docs'],
  ] as const) {
    await page.getByRole(place).getByRole('link', { name }).click();
    await expect.poll(() => page.url(), { timeout: 15_000 }).toBe(site.gateway.url + path);
  }
});

test('the page for an unknown path leads to the start page', async () => {
  const page = await site.open('/nothing/at/all', { provoked: /status of 404/ });
  await page.getByRole('main').getByRole('link').click();
  await expect.poll(() => page.url(), { timeout: 15_000 }).toBe(`${site.gateway.url}/`);
});

test.each([
  { api: 'GraphQL', answer: { data: { projects: { nodes: [{ title: 'Tenant' }] } } } },
  { api: 'REST', answer: { projects: [{ title: 'Tenant' }] } },
])('the $api request that the start page copies works unchanged in a shell', async ({ api, answer }) => {
  const { token } = await seedTenant(site.gateway);
  const page = await site.open('/');
  await page.getByRole('button', { name: `Copy the ${api} request` }).click();
  await page.getByText('Copied', { exact: true }).waitFor();
  // Reading the clipboard would need a permission. Pasting does not.
  await page.evaluate('document.body.append(document.createElement("textarea"))');
  await page.locator('textarea').press('Control+V');
  const { stdout } = await promisify(execFile)(
    'bash',
    ['--norc', '-c', await page.locator('textarea').inputValue()],
    { env: { PATH: process.env['PATH'], TOKEN: token } },
  );
  expect(JSON.parse(stdout)).toMatchObject(answer);
});

test('a browser can draw the icon for documents', async () => {
  const page = await site.open('/');
  const size = await page.evaluate<number[]>(`(async () => {
    const icon = new Image();
    icon.src = './favicon.ico';
    await icon.decode();
    return [icon.naturalWidth, icon.naturalHeight];
  })()`);
  expect(size).toEqual([32, 32]);
});
