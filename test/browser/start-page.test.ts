import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { newPage, open, startChromium } from '../support/browser.ts';
import { type Gateway, seedTenant, startGateway } from '../support/gateway.ts';

let browser: Browser;
let gateway: Gateway;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([startChromium(), startGateway()]);
  return () => Promise.all([browser.close(), gateway.stop()]);
});

test('the start page shows the version, the endpoints and cover images', async () => {
  const page = await newPage(browser, gateway.url);
  await open(page, gateway.url);
  await page.getByText(`Version ${manifest.version}`, { exact: true }).waitFor();
  const endpoints = await page.locator('.request p code').allInnerTexts();
  expect(endpoints).toEqual([`${gateway.url}/graphql`, gateway.url]);
  const covers = await page.evaluate<number[]>(
    `[...document.querySelectorAll('.covers img')].map(({ naturalWidth }) => naturalWidth)`,
  );
  expect(covers).toHaveLength(8);
  for (const width of covers) expect(width).toBeGreaterThan(0);
});

test('the pages link to each other', async () => {
  const page = await newPage(browser, gateway.url);
  await open(page, gateway.url);
  await page.getByRole('list').getByRole('link', { name: 'GraphiQL' }).click();
  await page.getByText('ListProjects', { exact: true }).first().waitFor();
  expect(page.url()).toBe(`${gateway.url}/graphiql`);

  await page.getByRole('navigation').getByRole('link', { name: 'REST docs' }).click();
  await page.getByText('List the projects', { exact: true }).waitFor();
  expect(page.url()).toBe(`${gateway.url}/docs`);

  await page.getByRole('banner').getByRole('link', { name: 'PAW gateway' }).click();
  await page.getByRole('list').getByRole('link', { name: 'REST docs' }).click();
  await page.getByText('List the projects', { exact: true }).waitFor();
  expect(page.url()).toBe(`${gateway.url}/docs`);
});

test.each([
  { api: 'GraphQL', answer: { data: { projects: { nodes: [{ title: 'Tenant' }] } } } },
  { api: 'REST', answer: { projects: [{ title: 'Tenant' }] } },
])('the $api request that the start page copies works unchanged in a shell', async ({ api, answer }) => {
  const { token } = await seedTenant(gateway);
  const page = await newPage(browser, gateway.url);
  await open(page, gateway.url);
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
