// @module-tag needs/chromium
// @module-tag night/browser

import { expect, test } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { pasted, startSite } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';
import { activate } from '../support/keyboard.ts';

const site = startSite();

test('the documentation is found from the start page, and its code is copied by the keyboard', async () => {
  const page = await site.open('/', { viewport: { width: 375, height: 667 } });
  await activate(page.getByRole('main').getByRole('link', { name: 'Documentation' }));
  await page.getByRole('heading', { name: 'Operate' }).waitFor();
  await activate(page.getByRole('link', { name: 'Browser applications' }));
  await page.getByRole('heading', { name: 'Browser applications', level: 1 }).waitFor();
  const code = page.locator('.code').filter({ hasText: 'import.meta.env.VITE_PAW' }).first();
  await activate(code.getByRole('button', { name: 'Copy the code' }));
  await code.getByText('Copied', { exact: true }).waitFor();
  expect((await pasted(page)).trim()).toBe((await code.locator('pre').innerText()).trim());
  await page.getByRole('link', { name: 'PAW gateway' }).focus();
  // So that the bar hides no half of a button.
  await page.evaluate('scrollTo(0, 0)');
  await expectAccessible(page);
});

test('the console links to the documentation, in which the link at a heading leads to it', async () => {
  const { token } = await seedTenant(site.gateway);
  const page = await site.openConsole(token);
  await page.getByRole('link', { name: 'Docs' }).click();
  await page.getByRole('link', { name: 'API reference' }).click();
  const heading = page.getByRole('heading', { name: 'Following events' });
  await heading.getByRole('link', { name: 'Link to this section' }).click();
  await expect.poll(() => page.url()).toBe(`${site.gateway.url}/docs/api.md#following-events`);
  const bar = await page.getByRole('banner').boundingBox();
  await expect
    .poll(async () => ((await heading.boundingBox())?.y ?? 0) - (bar?.height ?? 0))
    .toSatisfy((distance) => distance >= 0 && distance < 32);
});

test('the old address of a section leads to its new page, from another page and on the page itself', async () => {
  const page = await site.open('/docs/api.md#oauth');
  await page.waitForURL(`${site.gateway.url}/docs/authentication.md#oauth`);
  await page.goto(`${site.gateway.url}/docs/api.md`);
  await page.evaluate('location.hash = "limits"');
  await page.waitForURL(`${site.gateway.url}/docs/errors.md#limits`);
});

/** The widths from 320 to 1920 pixels, in steps of 100. */
const WIDTHS = Array.from({ length: 17 }, (_, step) => 320 + 100 * step);

/**
 * Finds what does not fit: a page that scrolls sideways, words of code on two lines, but for long code outside of tables, code
 * below its button, and cells that are neither in view nor in a box that scrolls and has a shadow at its edge.
 */
const MISFITS = `(() => {
  const linesOf = (node, start, end) => {
    const range = document.createRange();
    range.setStart(node, start);
    range.setEnd(node, end);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size;
  };
  const isInTable = (code) => code.matches('td *') && getComputedStyle(code.closest('td')).display === 'table-cell';
  const names = [...document.querySelectorAll(':not(pre) > code')].filter((code) => !code.matches('.long') || isInTable(code));
  const broken = names.flatMap(({ childNodes }) =>
    [...childNodes].filter(({ data }) => data).flatMap((node) =>
      [...node.data.matchAll(/[^ ,]+/g)]
        .filter(({ index, 0: word }) => linesOf(node, index, index + word.length) > 1)
        .map(([word]) => word)));
  const covered = [...document.querySelectorAll('.code')].filter((code) => {
    const [pre, button] = ['pre', 'button'].map((name) => code.querySelector(name).getBoundingClientRect());
    return pre.right > button.left;
  });
  const hidden = [...document.querySelectorAll('td, tbody th')].filter((cell) => {
    const box = cell.closest('.scroll');
    const { overflowX, backgroundImage } = getComputedStyle(box);
    const showsMore = overflowX === 'auto' && backgroundImage.includes('gradient');
    const end = box.getBoundingClientRect().left + (showsMore ? box.scrollWidth : box.clientWidth);
    return cell.getBoundingClientRect().right > end + 1 || cell.scrollWidth > cell.clientWidth + 1;
  });
  const scrolls = document.documentElement.scrollWidth > innerWidth ? ['the page'] : [];
  return [...scrolls, ...broken, ...[...covered, ...hidden].map(({ innerText }) => innerText)];
})()`;

test('on a window of any width, no page scrolls sideways, breaks a name, hides a cell, or has code below its button', async () => {
  const page = await site.open('/docs');
  const urls = await page.evaluate<string[]>(
    '[...document.querySelectorAll("main a")].map(({ href }) => href)',
  );
  expect(urls).toContain(`${site.gateway.url}/docs/running.md`);
  for (const url of urls) {
    await page.goto(url);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate(MISFITS), `${url} at ${width} px`).toEqual([]);
    }
  }
});

test('a row of a table that does not fit is a list of its cells with their labels', async () => {
  const page = await site.open('/docs/running.md', { viewport: { width: 1440, height: 900 } });
  const styleOf = (pseudo: string) =>
    page.evaluate(`(({ display, content }) => [display, content])(
      getComputedStyle(document.querySelector('td[data-label="default"]'), '${pseudo}'))`);
  expect(await styleOf('')).toEqual(['table-cell', 'normal']);
  await page.setViewportSize({ width: 375, height: 667 });
  expect(await styleOf('')).toEqual(['block', 'normal']);
  expect(await styleOf('::before')).toEqual(['inline', expect.stringContaining('default')]);
  await page.getByRole('link', { name: 'PAW gateway' }).focus();
  await expectAccessible(page);
});

test('the tables of operations and of errors are tables on a desktop', async () => {
  const page = await site.open('/docs', { viewport: { width: 1280, height: 800 } });
  // The headers of a table of rows of pairs are hidden.
  const countOf = (name: string) => page.getByRole('columnheader', { name, exact: true }).count();
  await page.goto(`${site.gateway.url}/docs/api.md`);
  expect(await countOf('operation')).toBe(2);
  await page.goto(`${site.gateway.url}/docs/errors.md`);
  expect(await countOf('reason')).toBe(1);
});

test('the list of pages is beside the text on a wide window and folded on a phone, with the next page at the end', async () => {
  const page = await site.open('/docs/running.md', { viewport: { width: 1440, height: 900 } });
  const pages = page.getByRole('navigation', { name: 'Documentation' });
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Stop' }).click();
  await expect.poll(() => page.url()).toMatch(/#stop$/);
  expect(await pages.getByRole('link', { name: 'Commands' }).isVisible()).toBe(true);
  await page.setViewportSize({ width: 375, height: 667 });
  expect(await pages.isVisible()).toBe(false);
  await activate(page.getByRole('link', { name: 'Production, step by step →' }));
  await page.getByRole('heading', { name: 'Production, step by step', level: 1 }).waitFor();
  await activate(page.locator('summary', { hasText: 'Operate' }));
  await activate(pages.getByRole('link', { name: 'Commands' }));
  await page.getByRole('heading', { name: 'Commands', level: 1 }).waitFor();
});

test('the search finds a section by the keyboard, and is loaded for those who search', async () => {
  const page = await site.open('/docs/troubleshooting.md', { viewport: { width: 1440, height: 900 } });
  const loaded = () => page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)');
  expect(await loaded()).toEqual([]);
  const field = page.getByRole('combobox', { name: 'Search the documentation' });
  await page.getByRole('link', { name: 'PAW gateway' }).focus();
  await page.keyboard.press('Control+/');
  expect(await field.and(page.locator(':focus')).count()).toBe(0);
  await page.keyboard.press('/');
  await field.pressSequentially('output written');
  const options = page.getByRole('option');
  await options.first().waitFor();
  expect(await loaded()).toEqual([expect.stringMatching(/\/assets\/documentation-\w+\.js$/)]);
  const [title, on, line] = (await options.first().innerText()).split('\n');
  expect([title, on]).toEqual(["Rules › Output that can't be written", 'Commands']);
  expect(line).toContain('write all of its output');
  expect((await options.first().locator('mark').allInnerTexts()).slice(0, 2)).toEqual(['Output', 'written']);
  await expectAccessible(page);

  const selected = page.getByRole('option', { selected: true });
  const ids = async () => [
    await field.getAttribute('aria-activedescendant'),
    await selected.getAttribute('id'),
  ];
  expect(await ids()).toEqual(['found-1', 'found-1']);
  await field.press('ArrowDown');
  expect(await ids()).toEqual(['found-2', 'found-2']);
  await field.press('ArrowUp');
  await field.press('Escape');
  expect(await options.count()).toBe(0);
  await field.press('Backspace');
  await field.press('Enter');
  await page.waitForURL(`${site.gateway.url}/docs/commands.md#output-that-cant-be-written`);
  await page.getByRole('heading', { name: 'Commands', level: 1 }).waitFor();
});

test('a result on the same page is opened in place, and a search that finds nothing offers three pages', async () => {
  const page = await site.open('/docs/troubleshooting.md', { viewport: { width: 375, height: 667 } });
  const field = page.getByRole('combobox', { name: 'Search the documentation' });
  await field.fill('zzz');
  await page.getByText('Nothing found for “zzz”.').waitFor();
  expect(await page.getByRole('group', { name: 'Pages that may help' }).getByRole('option').count()).toBe(3);
  await expectAccessible(page);
  await field.fill('leaked');
  const group = page.getByRole('group', { name: 'This page' });
  await group.getByRole('option', { name: 'One secret has leaked' }).click();
  await expect.poll(() => page.url()).toMatch(/troubleshooting\.md#one-secret-has-leaked$/);
  expect(await group.isVisible()).toBe(false);
});
