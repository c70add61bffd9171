import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';
import { type Gateway, startGateway } from './gateway.ts';
import { startBeforeAll } from './start-before-all.ts';

/** Options of a page. */
type PageOptions = BrowserContextOptions & {
  /** Origins that it may load from, in addition to the gateway. */
  readonly origins?: readonly string[];
  /** Console errors that the test expects. */
  readonly provoked?: RegExp;
};

/** The gateway of a test file, and its pages in the browser. */
export type Site = {
  readonly gateway: Gateway;
  /**
   * Opens an empty page with its own profile. The test fails if the page causes a policy violation, a console warning
   * or an error, or sends a request to an origin other than the gateway and `origins`.
   */
  newPage(options?: PageOptions): Promise<Page>;
  /** Opens a page of the gateway in the same way. */
  open(path: string, options?: PageOptions): Promise<Page>;
  /** Opens the console with a token, and waits for its first screen. */
  openConsole(token: string, options?: PageOptions): Promise<Page>;
};

/** Declares the gateway and the browser of a test file. They can be used in its tests. */
export function startSite(): Site {
  let browser: Browser;
  let gateway: Gateway;

  startBeforeAll(async (opening) => {
    gateway = await startGateway();
    opening.defer(gateway.stop);
    browser = await chromium.connect(inject('browserEndpoint'));
    opening.defer(() => browser.close());
  });

  const newPage: Site['newPage'] = async ({ origins = [], provoked, ...options } = {}) => {
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
      expect([gateway.url, ...origins]).toEqual(expect.arrayContaining([...requested]));
    });
    return context.newPage();
  };

  return {
    get gateway() {
      return gateway;
    },
    newPage,
    async open(path, options) {
      const page = await newPage(options);
      await goTo(page, gateway.url + path);
      return page;
    },
    async openConsole(token, options) {
      const page = await this.open(`/console#token=${token}`, options);
      // Before the token is accepted, the screen is that which asks for one.
      await page.locator('.session').waitFor();
      await page.locator('main :is(tbody a, h1)').first().waitFor();
      return page;
    },
  };
}

/**
 * Goes to a URL. On a busy machine, about once in 300 times, Chromium never draws a loaded page.
 * Clicks and changes of the color scheme have no effect then, because they need a frame.
 * A reload draws the page.
 */
export async function goTo(page: Page, url: string): Promise<void> {
  await page.goto(url);
  if (!(await page.evaluate<boolean>(IS_DRAWN))) await page.reload();
}

const IS_DRAWN = `new Promise((resolve) => {
  requestAnimationFrame(() => resolve(true));
  setTimeout(resolve, 10_000, false);
})`;

/** Shows a screen of the console, by its path. */
export async function showScreen(page: Page, path: string): Promise<void> {
  await page.evaluate(`void (location.hash = '#/${path}')`);
}

/** Returns what a page has copied. Reading the clipboard would need a permission, pasting does not. */
export async function pasted(page: Page): Promise<string> {
  await page.evaluate('document.querySelector("main").append(document.createElement("textarea"))');
  const field = page.locator('main > textarea');
  await field.press('Control+V');
  const text = await field.inputValue();
  await page.evaluate('document.querySelector("main > textarea").remove()');
  return text;
}

/** The data that a page has stored in the browser. */
export async function storedBy(page: Page): Promise<readonly unknown[]> {
  const items = await page.evaluate<unknown[]>(
    'indexedDB.databases().then((databases) => [...Object.entries({ ...localStorage, ...sessionStorage }), ...databases])',
  );
  return [...items, ...(await page.context().cookies())];
}
