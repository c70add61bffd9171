import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

/** Options of a page. */
type PageOptions = BrowserContextOptions & {
  /** Origins that it may load from, in addition to the gateway. */
  readonly origins?: readonly string[];
  /** Console errors that the test expects. */
  readonly provoked?: RegExp;
};

/** Starts Chromium. It resolves no host name, so that no request leaves the machine. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--disable-gpu', '--disable-quic', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
}

/**
 * Opens an empty page with its own profile. The test fails if the page causes a policy
 * violation, a console warning or an error, or sends a request to an origin other than
 * the gateway and `origins`.
 */
export async function newPage(
  browser: Browser,
  gatewayUrl: string,
  { origins = [], provoked, ...options }: PageOptions = {},
): Promise<Page> {
  const context = await browser.newContext(options);
  // Shorter than the timeout of a test, so that the error names the missing element.
  context.setDefaultTimeout(50_000);
  const complaints: string[] = [];
  const requested = new Set<string>();
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  context.on('weberror', (thrown) => complaints.push(String(thrown.error())));
  context.on('request', (request) => requested.add(new URL(request.url()).origin));
  onTestFinished(async () => {
    await context.close();
    expect(complaints.filter((each) => !provoked?.test(each))).toEqual([]);
    expect([gatewayUrl, ...origins]).toEqual(expect.arrayContaining([...requested]));
  });
  return context.newPage();
}

/**
 * Goes to a URL. On a busy machine, about once in 300 times, Chromium never draws a loaded page.
 * Clicks and changes of the color scheme have no effect then, because they need a frame.
 * A reload draws the page.
 */
export async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  if (!(await page.evaluate<boolean>(IS_DRAWN))) await page.reload();
}

const IS_DRAWN = `new Promise((resolve) => {
  requestAnimationFrame(() => resolve(true));
  setTimeout(resolve, 10_000, false);
})`;

/** The data that a page has stored in the browser. */
export async function storedBy(page: Page): Promise<readonly unknown[]> {
  const items = await page.evaluate<unknown[]>(
    'indexedDB.databases().then((databases) => [...Object.entries({ ...localStorage, ...sessionStorage }), ...databases])',
  );
  return [...items, ...(await page.context().cookies())];
}
