// @module-tag needs/chromium

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { expectAccessible } from '../support/accessibility.ts';
import { startSite } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';

const site = startSite();

test('the start page is accessible, and leads to all pages', async () => {
  const page = await site.open('/');
  const follow = async (place: 'banner' | 'main' | 'navigation', name: string, path: string) => {
    await page.getByRole(place).getByRole('link', { name }).click();
    await expect.poll(() => page.url()).toBe(site.gateway.url + path);
  };
  await page.getByText(`Version ${manifest.version}`).waitFor();
  const headings = await page.getByRole('heading', { level: 2 }).allInnerTexts();
  expect(headings).toEqual(['Console', 'Explorers', 'Clients', 'Contracts']);
  await page.keyboard.press('Tab');
  await expectAccessible(page);
  // Documents have no icon of their own.
  const size = await page.evaluate<number[]>(`(async () => {
    const icon = new Image();
    icon.src = './favicon.ico';
    await icon.decode();
    return [icon.naturalWidth, icon.naturalHeight];
  })()`);
  expect(size).toEqual([32, 32]);
  await follow('main', 'Open the console', '/console');
  await follow('navigation', 'GraphiQL', '/graphiql');
  await follow('banner', 'PAW gateway', '/');
  await follow('main', 'REST reference', '/reference');
});

test('the lines that the start page copies work unchanged in a shell, with a token', async () => {
  const { token, projects } = await seedTenant(site.gateway);
  const page = await site.open('/');
  // Reading the clipboard would need a permission. Pasting does not.
  await page.evaluate('document.body.append(document.createElement("textarea"))');
  for (const name of ['variables', 'GraphQL request', 'REST request']) {
    const button = page.getByRole('button', { name: `Copy the ${name}` });
    await button.click();
    await page.locator('.example', { has: button }).getByRole('status').getByText('Copied').waitFor();
    await page.locator('textarea').press('Control+V');
    await page.locator('textarea').press('Enter');
  }
  const lines = (await page.locator('textarea').inputValue()).replace('paw_acct_…', token);
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', lines], {
    env: { PATH: process.env['PATH'] },
  });
  const [graphql = '', rest = ''] = stdout.trim().split('\n');
  const nodes = [{ name: projects[0], title: 'Tenant' }];
  expect(JSON.parse(graphql)).toEqual({ data: { projects: { totalCount: 1, nodes } } });
  expect(JSON.parse(rest)).toMatchObject({ projects: nodes });
});
