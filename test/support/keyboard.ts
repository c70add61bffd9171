import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

const MAX_STOPS = 200;

// Returns the element with the focus if a person can't see that it has the focus. A card shows it by `::after`.
const UNSEEN_FOCUS = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return undefined;
  const isOutlined = [undefined, '::after'].some((pseudo) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element, pseudo);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
  });
  const { top, bottom } = element.getBoundingClientRect();
  return isOutlined && bottom > 0 && top < innerHeight ? undefined : element.outerHTML;
})()`;

/** Moves the focus to an element by Tab, as a person without a mouse does. The focus has to be visible on the way. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let stop = 0; stop < MAX_STOPS; stop += 1) {
    if ((await target.and(page.locator(':focus')).count()) === 1) return;
    await page.keyboard.press('Tab');
    expect(await page.evaluate(UNSEEN_FOCUS)).toBeUndefined();
  }
  throw new Error(`The Tab key does not reach ${target}.`);
}

/** Activates a link, a button or a checkbox by the keyboard. */
export async function activate(page: Page, target: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

/** Replaces the text of a field by the keyboard. */
export async function type(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  await page.keyboard.type(text);
}
