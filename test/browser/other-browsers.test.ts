// @module-tag needs/chromium
// @module-tag needs/firefox-esr
// @module-tag needs/webkit2gtk-driver
// @module-tag needs/xvfb
// @module-tag night/browser

import { expect, test } from 'vitest';
import { graphqlApi } from '../support/both-apis.ts';
import { startSite } from '../support/browser.ts';
import { addressOf, seedTenant } from '../support/gateway.ts';
import { startFirefox, startWebKit } from '../support/other-browsers.ts';
import { createApp } from '../support/requests.ts';

const site = startSite();

// The pages, each with a text that it has when it is complete.
const PAGES = [
  ['console#token=<token>', 'Tenant'],
  ['console#/<project>', 'Wallet 2'],
  ['console#/<project>/apps', 'Point of sale'],
  ['console#/<project>/settings', 'Project created'],
  ['console#/<wallet>', 'Wallet created'],
  ['console#/<app>', 'App created'],
  ['console#/tokens', 'This token'],
  ['console#/events', 'App created'],
  [`console#/wallets?address=${addressOf(1)}`, 'Wallet 1'],
  ['', 'Console'],
  ['docs/api.md', 'Pagination'],
  ['reference', 'Create an app'],
  // The last one: Firefox reports an error for each of its workers if it is left while they load.
  ['graphiql', 'ListProjects'],
] as const;

test.each([
  ['Firefox', startFirefox],
  ['WebKit', startWebKit],
])('in %s, each page opens without an error, and fits its window', async (_, start) => {
  const { token, project, wallets } = await seedTenant(site.gateway, { wallets: 3 });
  const app = await createApp(
    graphqlApi(() => site.gateway.url),
    token,
    { title: 'Point of sale' },
  );
  const names: Readonly<Record<string, string | undefined>> = {
    token,
    project,
    wallet: wallets[0],
    app: app.name,
  };
  const driver = await start();
  try {
    for (const [path, text] of PAGES) {
      const url = `${site.gateway.url}/${path.replace(/<(\w+)>/, (_, kind) => names[kind] ?? '')}`;
      // WebKitWebDriver waits for a navigation, which a change of the fragment alone is not.
      await driver.evaluate(`(location.href = '${url}')`);
      await expect.poll(() => driver.evaluate('document.body.innerText'), { message: path }).toContain(text);
      for (const width of [375, 1280]) {
        await driver.setSize(width, 800);
        const excess = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        await expect.poll(() => driver.evaluate(excess), { message: path }).toBe(0);
      }
      expect(driver.errors, path).toEqual([]);
    }
  } finally {
    await driver.close();
  }
});
