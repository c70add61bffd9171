// @module-tag night/conformance
// @module-tag needs/chromium

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { conforms } from '../support/conformance.ts';
import { testFolder, useGateway } from '../support/gateway.ts';
import { MODULES, runNode } from './run-program.ts';

const OPTIONS = [
  '--chrome-flags=--headless=new --no-sandbox --disable-gpu --disable-quic',
  // The times depend on the machine.
  '--only-categories=accessibility,best-practices,seo',
  // /robots.txt keeps crawlers out.
  '--skip-audits=is-crawlable,robots-txt',
  '--output=json',
  '--output-path=result.json',
  '--quiet',
  '--no-enable-error-reporting',
];

const gateway = useGateway();

test.each(['/', '/docs/api.md', '/console'])('Lighthouse gives %s all points but for speed', async (path) => {
  const folder = testFolder();
  const settings = { CHROME_PATH: '/usr/bin/chromium', HOME: folder };
  await runNode(folder, [join(MODULES, '.bin/lighthouse'), gateway.url + path, ...OPTIONS], settings);
  const { categories } = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8'));
  expect(categories).toMatchObject({
    accessibility: { score: 1 },
    'best-practices': { score: 1 },
    seo: { score: 1 },
  });
  conforms('Lighthouse');
});
